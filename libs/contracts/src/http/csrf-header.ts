/**
 * A header with the value `1` that every changing request with a session's cookie needs. A page of another origin cannot
 * send it without the consent of the API, which gives none.
 */
export const CSRF_HEADER = 'x-csrf';
