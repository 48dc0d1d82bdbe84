import type { Command as Program } from 'commander';

interface CommandText {
  /** Verb and object after "Could not"; an argument in angle brackets stands for its value. */
  readonly aim: string;
  readonly examples: readonly [string, ...string[]];
}

const ID = '7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60';
const DELIVERY = '5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2';

/** Every command, in the order of the help. A test compares this with the commands, and parses the examples. */
const commandTexts: Readonly<Record<string, CommandText>> = {
  'domains add': {
    aim: 'add <name>',
    examples: ['pets domains add docs.example.com', 'pets domains add example.com --pair --external-id customer-42'],
  },
  'domains update': {
    aim: 'change <name>',
    examples: [
      'pets domains update docs.example.com --metadata tier=gold',
      'pets domains update staging.example.com --channel staging',
    ],
  },
  'domains prepare': {
    aim: 'prepare <name>',
    examples: ['pets domains prepare docs.example.com --timeout 1h'],
  },
  'domains verify': { aim: 'verify <name>', examples: ['pets domains verify docs.example.com'] },
  'domains wait': {
    aim: 'wait for <name>',
    examples: ['pets domains wait docs.example.com', 'pets domains wait docs.example.com --for verified --timeout 90s'],
  },
  'domains list': {
    aim: 'list the domains',
    examples: ['pets domains list --state awaiting_dns', 'pets domains list --misconfigured --json'],
  },
  'domains show': { aim: 'show <name>', examples: ['pets domains show docs.example.com'] },
  'domains history': { aim: 'show the history of <name>', examples: ['pets domains history docs.example.com'] },
  'domains reverify': {
    aim: 'retry the certificate of <name>',
    examples: ['pets domains reverify docs.example.com'],
  },
  'domains move': {
    aim: 'move <name>',
    examples: ['pets domains move docs.example.com --to handbook --with-redirects'],
  },
  'domains remove': {
    aim: 'remove <name>',
    examples: ['pets domains remove docs.example.com', 'pets domains remove docs.example.com --yes --timeout 5m'],
  },
  'domains import': {
    aim: 'import the domains of <file>',
    examples: ['pets domains import domains.csv', 'pets domains import gone.ndjson --remove --report report.ndjson'],
  },
  'domains config show': { aim: 'show the configuration', examples: ['pets domains config show'] },
  'domains config set': {
    aim: 'change the configuration',
    examples: ['pets domains config set --primary docs.example.com --platform-redirect'],
  },
  'domains certificate set': {
    aim: 'upload a certificate for <name>',
    examples: ['pets domains certificate set docs.example.com --cert chain.pem --key key.pem'],
  },
  'domains certificate show': {
    aim: 'show the certificates of <name>',
    examples: ['pets domains certificate show docs.example.com'],
  },
  'domains certificate prefer': {
    aim: 'choose the certificate of <name>',
    examples: ['pets domains certificate prefer docs.example.com automatic'],
  },
  'domains certificate rm': {
    aim: 'delete the certificate of <name>',
    examples: ['pets domains certificate rm docs.example.com'],
  },
  'domains setup-link create': {
    aim: 'create a set-up link of <name>',
    examples: [
      'pets domains setup-link create docs.example.com',
      'pets domains setup-link create docs.example.com --days 30',
    ],
  },
  'domains setup-link list': {
    aim: 'list the set-up links of <name>',
    examples: ['pets domains setup-link list docs.example.com'],
  },
  'domains setup-link end': {
    aim: 'end <id>',
    examples: [`pets domains setup-link end docs.example.com ${ID}`],
  },
  'domains doctor': {
    aim: 'check the DNS of <name>',
    examples: ['pets domains doctor docs.example.com', 'pets domains doctor docs.example.com --resolver 192.0.2.53'],
  },
  'setup-page show': { aim: 'show the set-up pages', examples: ['pets setup-page show'] },
  'setup-page set': {
    aim: 'change the set-up pages',
    examples: [
      'pets setup-page set --name Acme --logo acme.png',
      'pets setup-page set --return-origin https://app.acme.example',
    ],
  },
  'redirects list': { aim: 'list the redirects', examples: ['pets redirects list'] },
  'redirects add': {
    aim: 'redirect <from>',
    examples: ['pets redirects add www.example.com example.com --status 308'],
  },
  'redirects remove': {
    aim: 'remove the redirect of <from>',
    examples: ['pets redirects remove www.example.com'],
  },
  'redirects test': {
    aim: 'explain <url>',
    examples: ['pets redirects test https://docs.example.com/old'],
  },
  'origin show': {
    aim: 'show the application',
    examples: ['pets origin show --project shop', 'pets origin show --domain docs.example.com'],
  },
  'origin set': {
    aim: 'set the application',
    examples: [
      'pets origin set https://app.example.net:8443 --host-header app.example.net --header x-platform-secret=S3CRET',
      'pets origin set https://docs.example.net --domain docs.example.com',
    ],
  },
  'origin test': { aim: 'test the application', examples: ['pets origin test'] },
  'origin remove': { aim: 'remove the application', examples: ['pets origin remove --domain docs.example.com'] },
  'projects list': { aim: 'list the projects', examples: ['pets projects list', 'pets projects list --ids'] },
  'projects create': {
    aim: 'create the project <slug>',
    examples: ['pets projects create handbook --name "The handbook"'],
  },
  'projects show': { aim: 'show the project', examples: ['pets projects show --project handbook'] },
  'projects update': {
    aim: 'change the project',
    examples: [
      'pets projects update --name "The guide" --trailing-slash always',
      'pets projects update --hsts 31536000 --hsts-subdomains',
    ],
  },
  deploy: {
    aim: 'deploy <dir>',
    examples: [
      'pets deploy ./site --message "New prices" --wait',
      'pets deploy ./site --project handbook --channel pr-12',
    ],
  },
  'deployments list': { aim: 'list the deployments', examples: ['pets deployments list'] },
  'deployments changes': {
    aim: 'compare the deployment <id>',
    examples: [`pets deployments changes ${ID}`, `pets deployments changes ${ID} --since ${DELIVERY}`],
  },
  'deployments activate': { aim: 'activate the deployment <id>', examples: [`pets deployments activate ${ID}`] },
  'deployments delete': { aim: 'delete the deployment <id>', examples: [`pets deployments delete ${ID}`] },
  'channels list': { aim: 'list the channels', examples: ['pets channels list'] },
  'channels show': { aim: 'show the channel <name>', examples: ['pets channels show pr-12'] },
  'channels set': {
    aim: 'change the channel <name>',
    examples: [`pets channels set pr-12 --deployment ${ID}`, 'pets channels set pr-12 --protected'],
  },
  'channels link': {
    aim: 'create a link of the channel <name>',
    examples: ['pets channels link pr-12', 'pets channels link pr-12 --days 1'],
  },
  'channels end-links': { aim: 'end the links of the channel <name>', examples: ['pets channels end-links pr-12'] },
  'channels remove': { aim: 'remove the channel <name>', examples: ['pets channels remove pr-12'] },
  open: { aim: 'open the page', examples: ['pets open docs.example.com', 'pets open --dashboard'] },
  'webhooks list': { aim: 'list the endpoints', examples: ['pets webhooks list'] },
  'webhooks create': {
    aim: 'create an endpoint for <url>',
    examples: ['pets webhooks create https://hooks.example.com/pets --event domain.live'],
  },
  'webhooks show': { aim: 'show the endpoint <id>', examples: [`pets webhooks show ${ID}`] },
  'webhooks update': {
    aim: 'change the endpoint <id>',
    examples: [`pets webhooks update ${ID} --url https://hooks.example.com/new`],
  },
  'webhooks test': { aim: 'test the endpoint <id>', examples: [`pets webhooks test ${ID}`] },
  'webhooks roll': {
    aim: 'replace the secret of the endpoint <id>',
    examples: [`pets webhooks roll ${ID} --overlap 1h`],
  },
  'webhooks remove': { aim: 'remove the endpoint <id>', examples: [`pets webhooks remove ${ID} --yes`] },
  'webhooks deliveries': {
    aim: 'list the deliveries to <id>',
    examples: [`pets webhooks deliveries ${ID} --state failed`],
  },
  'webhooks delivery': {
    aim: 'show the delivery <delivery-id>',
    examples: [`pets webhooks delivery ${ID} ${DELIVERY}`],
  },
  'webhooks redeliver': {
    aim: 'send the delivery <delivery-id> again',
    examples: [`pets webhooks redeliver ${ID} ${DELIVERY}`],
  },
  'webhooks listen': {
    aim: 'listen to events',
    examples: ['pets webhooks listen --forward-to http://localhost:3000/hook', 'pets webhooks listen --only-project'],
  },
  'pets list': { aim: 'list the animals', examples: ['pets pets list --status available --sort -createdAt'] },
  'pets add': { aim: 'add <name>', examples: ['pets pets add Rex --category 1'] },
  'orders list': { aim: 'list the orders', examples: ['pets orders list --names --status placed'] },
  'orders add': { aim: 'order the animal <pet-id>', examples: ['pets orders add 17 --quantity 2'] },
  'orders show': { aim: 'show the order <id>', examples: ['pets orders show 42'] },
  'orders fulfill': { aim: 'fulfill the order <id>', examples: ['pets orders fulfill 42'] },
  'orders cancel': { aim: 'cancel the order <id>', examples: ['pets orders cancel 42'] },
  'orders wait': { aim: 'wait for the order <id>', examples: ['pets orders wait 42 --timeout 1h'] },
  'keys list': { aim: 'list the API keys', examples: ['pets keys list'] },
  'keys create': {
    aim: 'create the API key <name>',
    examples: ['pets keys create ci --scope domains:read --expires 2027-11-02T00:00:00Z'],
  },
  'keys revoke': { aim: 'revoke the API key <id>', examples: [`pets keys revoke ${ID}`] },
  login: { aim: 'log in', examples: ['pets login --api-url https://api.pets.example --project handbook'] },
  whoami: { aim: 'find out whom you act for', examples: ['pets whoami'] },
  logout: { aim: 'log out', examples: ['pets logout'] },
  'people list': { aim: 'list the people', examples: ['pets people list'] },
  'people role': { aim: 'change the role of <id>', examples: [`pets people role ${ID} admin`] },
  'people remove': { aim: 'remove the person <id>', examples: [`pets people remove ${ID} --keys revoke`] },
  'invitations list': { aim: 'list the invitations', examples: ['pets invitations list'] },
  'invitations create': { aim: 'invite <name>', examples: ['pets invitations create "Ada Byron" --role admin'] },
  'invitations delete': { aim: 'delete the invitation <id>', examples: [`pets invitations delete ${ID}`] },
  completion: {
    aim: 'print the script',
    examples: ['source <(pets completion bash)', 'pets completion fish > ~/.config/fish/completions/pets.fish'],
  },
};

/** Adds examples to the help of each command; a group of commands has the first ones of its members. */
export function addExamples(program: Program): void {
  for (const command of program.commands) {
    const examples = examplesOf(command);
    if (examples.length > 0)
      command.addHelpText('after', `\nExamples:\n${examples.map((each) => `  ${each}\n`).join('')}`);
    addExamples(command);
  }
}

const MAX_EXAMPLES = 2;

/** Empty for a hidden command. */
function examplesOf(command: Program): readonly string[] {
  const own = commandTexts[wordsOf(command)]?.examples;
  return own ?? command.commands.flatMap((each) => examplesOf(each).slice(0, 1)).slice(0, MAX_EXAMPLES);
}

/** `Could not add docs.example.com: the name is in use.` Each sentence ends with a full stop. */
export function failureSentence(command: Program | null, cause: string): string {
  const ended = /[.!?]$/.test(cause) ? cause : `${cause}.`;
  if (ended.startsWith('Could not')) return ended;
  const aim = command === null ? 'understand the command line' : aimOf(command);
  return `Could not ${aim}${/^\p{Lu}/u.test(ended) ? '.' : ':'} ${ended}`;
}

function aimOf(command: Program): string {
  const aim = commandTexts[wordsOf(command)]?.aim ?? 'run the command';
  return command.registeredArguments.reduce(
    (text, argument, index) => text.replaceAll(`<${argument.name()}>`, () => command.args[index] ?? ''),
    aim,
  );
}

/** The words of a command after `pets`. */
function wordsOf(command: Program): string {
  const { parent } = command;
  return parent === null ? '' : `${wordsOf(parent)} ${command.name()}`.trim();
}
