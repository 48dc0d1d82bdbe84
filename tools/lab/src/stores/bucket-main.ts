import S3rver from '@20minutes/s3rver';

/** An S3 server with the bucket `files`: `bucket-main.js FOLDER PORT`. Prints a line when it answers. */
const [directory = '', port] = process.argv.slice(2);
const configureBuckets = [{ name: 'files' }];
await new S3rver({ address: '127.0.0.1', port: Number(port), silent: true, directory, configureBuckets }).run();
process.stdout.write('ready\n');
