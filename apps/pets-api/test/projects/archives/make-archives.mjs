/**
 * Makes archives of a small site with the programs that people use, and notes what each program itself unpacks from its
 * archive, in `archives.json`. An archive of a program that the machine lacks is left out.
 *
 *     node apps/pets-api/test/projects/archives/make-archives.mjs [FOLDER]
 *
 * Without a folder, replaces the archives beside this file.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const target = process.argv[2] ?? import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), 'pets-archives-'));

/** @param {string} command run by the shell in `work` */
function sh(command) {
  return execFileSync('sh', ['-ec', command], {
    cwd: work,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).toString();
}

function hasProgram(name) {
  try {
    sh(`command -v ${name}`);
    return true;
  } catch {
    return false;
  }
}

function write(folder, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, folder, path)), { recursive: true });
    writeFileSync(join(work, folder, path), content);
  }
}

const site = {
  'index.html': '<h1>Acme</h1>\n',
  'assets/app.js': 'console.log(1);\n',
  '.well-known/security.txt': 'Contact: mailto:a@acme.example\n',
  '.htaccess': 'Options -Indexes\n',
  'café.html': '<h1>Café</h1>\n',
  'a b.html': 'with a space\n',
  'empty.txt': '',
  [`long/${'d'.repeat(60)}/${'e'.repeat(80)}.txt`]: 'at a long path\n',
};

write('site', site);
write('holes', { 'index.html': '<h1>Acme</h1>\n' });
const holes = openSync(join(work, 'holes/data.bin'), 'w');
writeSync(holes, 'begin', 0);
writeSync(holes, 'end', 300_000);
write('links', { 'index.html': '<h1>Acme</h1>\n' });
symlinkSync('index.html', join(work, 'links/home.html'));
write('hard', { 'index.html': '<h1>Acme</h1>\n' });
linkSync(join(work, 'hard/index.html'), join(work, 'hard/home.html'));
cpSync(join(work, 'links'), join(work, 'both'), { recursive: true, verbatimSymlinks: true });
linkSync(join(work, 'both/index.html'), join(work, 'both/copy.html'));
write('macos', {
  ...{ 'index.html': '<h1>Acme</h1>\n', 'img/a.txt': 'a\n', '._alone': 'kept\n' },
  ...{ '._index.html': 'attributes', '._img': 'attributes', 'img/._a.txt': 'attributes' },
  ...{ '.DS_Store': 'view', 'img/.DS_Store': 'view', '__MACOSX/._index.html': 'attributes' },
});
write('large', { 'a.txt': Array.from({ length: 4_000 }, (_, nth) => `line ${nth}\n`).join('') });

const untar = (name) => `tar -xzf ${name} -C out`;
const bsdUntar = (name) => `bsdtar -xf ${name} -C out`;
const python = (format) => ({
  program: 'python3',
  ending: 'tar.gz',
  make: (name) =>
    `python3 -c "import tarfile; t = tarfile.open('${name}', 'w:gz', format=tarfile.${format}); t.add('site', '.'); t.close()"`,
  unpack: (name) => `python3 -c "import tarfile; tarfile.open('${name}').extractall('out')"`,
});
const gnu = (options, folder = 'site') => ({
  program: 'tar',
  ending: 'tar.gz',
  make: (name) => `tar -cz ${options} -f ${name} -C ${folder} .`,
  unpack: untar,
});
const bsd = (options, folder = 'site', ending = 'tar.gz') => ({
  program: 'bsdtar',
  ending,
  make: (name) => `bsdtar -c ${ending === 'tar.gz' ? '-z' : ''} ${options} -f ${name} -C ${folder} .`,
  unpack: bsdUntar,
});
const other = (program, ending, make) => ({ program, ending, make });

const LINKS = 'tar -h --hard-dereference';
const HOLES = 'leave out -S with GNU tar, add --no-read-sparse with bsdtar';
const PACK = 'tar -czhf site.tar.gz -C FOLDER .';

/** `refused`: a part of the sentence with which the upload is refused; `ignored`: what is left out. */
const kinds = {
  'gnu-tar-gnu': gnu('--format=gnu'),
  'gnu-tar-oldgnu': gnu('--format=oldgnu'),
  'gnu-tar-pax': gnu('--format=pax'),
  'gnu-tar-ustar': gnu('--format=ustar'),
  'gnu-tar-v7': gnu('--format=v7 --exclude=long'),
  'gnu-tar-holes': gnu('--format=gnu', 'holes'),
  'gnu-tar-sparse': { ...gnu('-S --format=gnu', 'holes'), refused: `data.bin is packed as a sparse file` },
  'gnu-tar-sparse-0.0': { ...gnu('-S --format=pax --sparse-version=0.0', 'holes'), refused: HOLES },
  'gnu-tar-sparse-0.1': { ...gnu('-S --format=pax --sparse-version=0.1', 'holes'), refused: HOLES },
  'gnu-tar-sparse-1.0': { ...gnu('-S --format=pax --sparse-version=1.0', 'holes'), refused: HOLES },
  'gnu-tar-symbolic-link': { ...gnu('', 'links'), refused: LINKS },
  'gnu-tar-hard-link': { ...gnu('', 'hard'), refused: LINKS },
  'gnu-tar-dereferenced': gnu('-h --hard-dereference', 'both'),
  'gnu-tar-label': { ...gnu('--label=site'), refused: 'Leave out --label' },
  'gnu-tar-incremental': { ...gnu('--listed-incremental=snapshot'), refused: 'leave out --listed-incremental' },
  'gnu-tar-second-volume': {
    ...other(
      'tar',
      'tar.gz',
      (name) => `tar -cM -L 20 -f volume1 -f volume2 -f volume3 large && gzip -c volume2 > ${name}`,
    ),
    refused: 'leave out -M',
  },
  'gnu-tar-uncompressed': { ...other('tar', 'tar', (name) => `tar -cf ${name} -C site .`), refused: PACK },
  'gnu-tar-xz': { ...other('xz', 'tar.xz', (name) => `tar -cJf ${name} -C site .`), refused: PACK },
  'gnu-tar-bzip2': { ...other('bzip2', 'tar.bz2', (name) => `tar -cjf ${name} -C site .`), refused: PACK },
  'gnu-tar-zstd': { ...other('zstd', 'tar.zst', (name) => `tar --zstd -cf ${name} -C site .`), refused: PACK },
  'bsdtar-restricted': bsd(''),
  'bsdtar-pax': bsd('--format=pax'),
  'bsdtar-ustar': bsd('--format=ustar'),
  'bsdtar-gnutar': bsd('--format=gnutar'),
  'bsdtar-macos': {
    ...bsd('', 'macos'),
    ignored: ['.DS_Store', '._img', '._index.html', '__MACOSX/._index.html', 'img/.DS_Store', 'img/._a.txt'],
  },
  'bsdtar-sparse': { ...bsd('', 'holes'), refused: 'data.bin is packed as a sparse file' },
  'bsdtar-no-read-sparse': bsd('--no-read-sparse', 'holes'),
  'bsdtar-symbolic-link': { ...bsd('', 'links'), refused: LINKS },
  'bsdtar-hard-link': { ...bsd('', 'hard'), refused: LINKS },
  'bsdtar-zip': { ...bsd('--format=zip', 'site', 'zip'), refused: `is a zip archive` },
  'bsdtar-7zip': { ...bsd('--format=7zip', 'site', '7z'), refused: `is a 7z archive` },
  'bsdtar-cpio': { ...bsd('--format=cpio'), refused: PACK },
  zip: { ...other('zip', 'zip', (name) => `cd site && zip -qr ../${name} .`), refused: PACK },
  '7z': { ...other('7z', '7z', (name) => `7z a -bd ${name} ./site/.`), refused: PACK },
  '7z-zip': { ...other('7z', 'zip', (name) => `7z a -bd -tzip ${name} ./site/.`), refused: PACK },
  '7z-tar': {
    ...other('7z', 'tar.gz', (name) => `7z a -bd -ttar 7z.tar ./site/. && 7z a -bd -tgzip ${name} 7z.tar`),
    unpack: (name) => `7z x -bd -so ${name} > 7z-unpacked.tar && 7z x -bd -oout 7z-unpacked.tar`,
  },
  'python-gnu': python('GNU_FORMAT'),
  'python-pax': python('PAX_FORMAT'),
  'python-ustar': python('USTAR_FORMAT'),
};

/** SHA-256 of each file below a folder, by its path in NFC. */
function listFiles(folder) {
  const entries = readdirSync(join(work, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    return [path.slice(join(work, folder).length + 1).normalize('NFC'), hash];
  });
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

try {
  const made = {};
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(target).filter((each) => /\.(?:tar|tar\.\w+|zip|7z)$/.test(each)))
    rmSync(join(target, name));
  for (const [kind, { program, ending, make, unpack, refused, ignored = [] }] of Object.entries(kinds)) {
    if (!hasProgram(program)) continue;
    const file = `${kind}.${ending}`;
    sh(make(file));
    cpSync(join(work, file), join(target, file));
    if (refused !== undefined) made[file] = { refused };
    else {
      rmSync(join(work, 'out'), { recursive: true, force: true });
      mkdirSync(join(work, 'out'));
      sh(unpack(file));
      made[file] = { files: listFiles('out'), ignored };
    }
  }
  writeFileSync(join(target, 'archives.json'), `${JSON.stringify(made, null, 2)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
