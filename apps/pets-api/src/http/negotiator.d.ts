/** The part of negotiator 1.1 that pets-api uses; `@types/negotiator` describes 0.6, which has no `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: { readonly 'accept-encoding': string | undefined } });

    /** The available encodings that the client accepts, the best first; `preferred` decides between equal ones. */
    encodings<Encoding extends string>(
      available: readonly Encoding[],
      options: { readonly preferred: readonly Encoding[] },
    ): Encoding[];
  }
}
