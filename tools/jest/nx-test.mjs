/**
 * The target `test` of every project: Jest in the folder of the project. It takes `--testFile` too, which is what Nx calls
 * the patterns of test files: `nx test @pets/domains --testFile=issues`.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const args = process.argv.slice(2).map((arg) => arg.replace(/^--testFile(?==|$)/, '--testPathPatterns'));
spawn(process.execPath, [jest, ...args], { stdio: 'inherit' }).on('close', (code) => {
  process.exitCode = code ?? 1;
});
