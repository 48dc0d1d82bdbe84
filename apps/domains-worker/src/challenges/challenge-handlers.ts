import { Injectable } from '@nestjs/common';
import type { ChallengeMethod } from '@pets/contracts';
import type { ChallengeHandler } from './challenge-handler.js';
import { Dns01 } from './dns-01.js';
import { Http01 } from './http-01.js';

/** The methods that this worker knows. */
@Injectable()
export class ChallengeHandlers {
  private readonly known: readonly ChallengeHandler[];

  constructor(http01: Http01, dns01: Dns01) {
    this.known = [http01, dns01];
  }

  /** The handlers of some methods, in their order, without those that an API of a later version names. */
  of(methods: readonly ChallengeMethod[]): readonly ChallengeHandler[] {
    return methods.flatMap((method) => this.known.filter((handler) => handler.method === method));
  }
}
