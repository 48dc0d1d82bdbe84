import { Badge, Button, Card, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components } from '@pets/client';
import { api, bodyOf } from '../api/api.js';
import { formatBytes } from '../format.js';
import { announce } from '../parts/announcer.js';
import { Failure } from '../parts/failure.js';
import { Instant } from '../parts/instant.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { strings } from '../strings.js';
import { deploymentsQuery } from './projects.queries.js';

/** What a project has served and serves, newest first; the place to put something new. */
export default function DeploymentsPage({ projectId }: { readonly projectId: string }) {
  const deployments = useQuery(deploymentsQuery(projectId));
  return (
    <Page title={strings.deployments.title} actions={<Upload projectId={projectId} />}>
      <Text c="dimmed">{strings.deployments.limits}</Text>
      <Loaded query={deployments}>
        {(list) =>
          list.length === 0 ? (
            <Text>{strings.deployments.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((deployment) => (
                <DeploymentCard key={deployment.id} projectId={projectId} deployment={deployment} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function Upload({ projectId }: { readonly projectId: string }) {
  const queryClient = useQueryClient();
  const upload = useMutation({
    mutationFn: (bundle: File) =>
      bodyOf(
        api().POST('/v1/projects/{projectId}/deployments', {
          params: { path: { projectId } },
          headers: { 'content-type': 'application/gzip' },
          body: bundle,
        }),
      ),
    onSuccess: async () => {
      announce(strings.deployments.uploaded);
      await queryClient.invalidateQueries(deploymentsQuery(projectId));
    },
  });
  return (
    <Stack gap="xs">
      <FileButton onChange={(file) => file !== null && upload.mutate(file)} accept=".gz,.tgz,application/gzip">
        {(props) => (
          <Button {...props} loading={upload.isPending}>
            {upload.isPending ? strings.deployments.uploading : strings.deployments.upload}
          </Button>
        )}
      </FileButton>
      {upload.error !== null && <Failure error={upload.error} />}
    </Stack>
  );
}

interface DeploymentCardProps {
  readonly projectId: string;
  readonly deployment: components['schemas']['Deployment'];
}

function DeploymentCard({ projectId, deployment }: DeploymentCardProps) {
  const { id, active, createdAt, files, bytes } = deployment;
  const queryClient = useQueryClient();
  const activate = useMutation({
    mutationFn: () =>
      bodyOf(
        api().POST('/v1/projects/{projectId}/deployments/{deploymentId}/activate', {
          params: { path: { projectId, deploymentId: id } },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries(deploymentsQuery(projectId)),
  });
  return (
    <Card component="li" withBorder>
      <Group justify="space-between">
        <div>
          <Instant at={createdAt} />
          <Text c="dimmed" size="sm">
            {strings.deployments.files(files)}, {formatBytes(bytes)}
          </Text>
        </div>
        {active ? (
          <Badge variant="light" color="green">
            {strings.deployments.active}
          </Badge>
        ) : (
          <Button variant="default" size="xs" loading={activate.isPending} onClick={() => activate.mutate()}>
            {strings.deployments.activate}
          </Button>
        )}
      </Group>
      {activate.error !== null && <Failure error={activate.error} />}
    </Card>
  );
}
