/** The answer of `GET /dashboard/sign-in` and `POST /dashboard/session`, which only the dashboard uses. */
export interface SignInState {
  /** Null without a valid session. */
  readonly session: { readonly id: string } | null;
}
