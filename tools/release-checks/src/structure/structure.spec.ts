import { describe, expect, it } from '@jest/globals';
import { countWalks } from './structure.js';

const files = ['apps/x/src/http/a.ts', 'apps/x/src/http/b.ts', 'libs/y/src/c.ts'];

describe('countWalks', () => {
  it('counts each file that a walk names once', () => {
    const page = `
## Four walks through the code

### A request: \`GET /v1/pets\`

1. \`http/a.ts\` calls \`libs/y/src/c.ts\`, and \`http/a.ts\` answers.

### A visitor’s request

1. \`http/b.ts\` only; \`http/missing.ts\` is not there.

## Ownership

\`libs/y/src/c.ts\`
`;
    expect(countWalks(page, files)).toEqual({ 'A request: GET /v1/pets': 2, 'A visitor’s request': 1 });
  });
});
