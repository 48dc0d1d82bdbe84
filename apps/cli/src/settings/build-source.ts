import { newDeploymentSchema } from '@pets/contracts';
import { z } from 'zod';

/** Variables that GitHub Actions and GitLab CI set in every job. */
export const buildVariables = {
  /** The branch of a pull request; empty in other runs. */
  GITHUB_HEAD_REF: z.string().optional(),
  GITHUB_REF_NAME: z.string().optional(),
  GITHUB_SHA: z.string().optional(),
  GITHUB_SERVER_URL: z.string().optional(),
  GITHUB_REPOSITORY: z.string().optional(),
  GITHUB_RUN_ID: z.string().optional(),
  CI_COMMIT_REF_NAME: z.string().optional(),
  CI_COMMIT_SHA: z.string().optional(),
  CI_PIPELINE_URL: z.string().optional(),
} as const;

type BuildEnvironment = Readonly<Partial<Record<keyof typeof buildVariables, string | undefined>>>;

/** Branch, commit and URL of the run that built what is deployed, as the API takes them. */
export type BuildSource = Partial<Record<'branch' | 'commit' | 'sourceUrl', string>>;

/** Empty outside of CI. Values that the API would refuse are left out. */
export function buildSourceOf(environment: BuildEnvironment): BuildSource {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment;
  const runUrl = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
  const given = {
    branch: environment.GITHUB_HEAD_REF || environment.GITHUB_REF_NAME || environment.CI_COMMIT_REF_NAME,
    commit: environment.GITHUB_SHA || environment.CI_COMMIT_SHA,
    sourceUrl: runUrl ?? environment.CI_PIPELINE_URL,
  };
  const { branch, commit, sourceUrl } = newDeploymentSchema.shape;
  return Object.fromEntries(
    Object.entries({ branch, commit, sourceUrl }).flatMap(([name, schema]) => {
      const { data } = schema.safeParse(given[name as keyof typeof given]); // a key of the object above
      return data === undefined ? [] : [[name, data]];
    }),
  );
}
