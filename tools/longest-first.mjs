import { statSync } from 'node:fs';

/** Files whose tests take longest, the longest first: begun last, one of them would have the end of the run to itself. */
const long = [/apps\/pets-api\/test\/fuzz\/operations/, /apps\/dashboard\/test\//, /apps\/system-tests\//];

/** The order in which Jest begins test files: the long ones, then the rest by their size, where nothing better is known. */
export default class LongestFirst {
  sort(tests) {
    const rank = ({ path }) => {
      const at = long.findIndex((pattern) => pattern.test(path));
      return at === -1 ? long.length : at;
    };
    const bytes = new Map(tests.map(({ path }) => [path, statSync(path).size]));
    return tests.toSorted((a, b) => rank(a) - rank(b) || bytes.get(b.path) - bytes.get(a.path));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
