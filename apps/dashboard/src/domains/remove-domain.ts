import { answerOf, api } from '../api/api.js';

/**
 * Removes a domain, or asks again whether its traffic has stopped.
 * @returns how many edges may still serve it: 0 is the API's promise (204) that none does
 */
export async function removeDomain(projectId: string, domain: string): Promise<number> {
  const { data, response } = await answerOf(
    api().DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path: { projectId, domain } } }),
  );
  return response.status === 204 || data === undefined ? 0 : data.pendingEdges;
}
