import { Alert, Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, ApiError, dataOf } from '../api/api.js';
import { ActionForm, Dialog } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { FieldList, Page, TextLink } from '../components/page.js';
import { Suspensions } from '../components/suspensions.js';
import { Instant } from '../components/time.js';
import { formatInstant } from '../format.js';
import { strings } from '../strings.js';
import { organizationQuery, projectsQuery } from './projects.queries.js';
import { slugOf, unreservedSlug } from './slug.js';

/** The start page. */
export function ProjectsPage() {
  const projects = useQuery(projectsQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={strings.projects.title}
      actions={<Button onClick={() => setCreating(true)}>{strings.projects.create}</Button>}
    >
      <Plan />
      <Loaded query={projects}>
        {(list) =>
          list.length === 0 ? (
            <Text>{strings.projects.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((project) => (
                <Card key={project.id} component="li" withBorder>
                  <Stack gap="xs">
                    <Group justify="space-between">
                      <Text component="h2" fw={600}>
                        <TextLink to={`/projects/${project.id}`}>{project.name}</TextLink>
                      </Text>
                      <TextLink to={`/projects/${project.id}/settings/domains`}>
                        {strings.projects.openDomains}
                        <span className="visually-hidden"> ({project.name})</span>
                      </TextLink>
                    </Group>
                    <FieldList
                      fields={[
                        [strings.projects.address, <span className="value">{project.url}</span>],
                        [strings.projects.created, <Instant at={project.createdAt} />],
                      ]}
                    />
                  </Stack>
                </Card>
              ))}
            </ul>
          )
        }
      </Loaded>
      <CreateProject opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

/** The plan of the organization and its domain limit. Empty until loaded. */
function Plan() {
  const { data } = useQuery(organizationQuery);
  if (data === undefined) return null;
  const { name, plan, limits, domainsEndAt, suspensions } = data;
  return (
    <>
      <Text c="dimmed">{strings.projects.plan(name, strings.plans[plan], limits.domainsPerProject)}</Text>
      {domainsEndAt !== null && (
        <Alert color="yellow" variant="light" title={strings.projects.planEndsTitle}>
          {strings.projects.planEndsText(formatInstant(domainsEndAt))}
        </Alert>
      )}
      <Suspensions suspensions={suspensions} />
    </>
  );
}

interface CreateProjectProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function CreateProject({ opened, onClose }: CreateProjectProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={strings.projects.create}>
      <CreateProjectForm onClose={onClose} />
    </Dialog>
  );
}

function CreateProjectForm({ onClose }: Pick<CreateProjectProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (body: { name: string; slug: string }) => dataOf(api().POST('/v1/projects', { body })),
    onSuccess: async (project) => {
      await queryClient.invalidateQueries(projectsQuery);
      onClose();
      navigate(`/projects/${project.id}`);
    },
    onError: (error) => {
      // The form shows the error. A slug that the user did not edit is replaced.
      if (slug === null && error instanceof ApiError && error.code === 'name_reserved')
        setSlug(unreservedSlug(slugOf(name)));
    },
  });
  const submit = () => {
    create.mutate({ name, slug: slug ?? slugOf(name) });
  };
  return (
    <ActionForm label={strings.projects.create} action={create} onSubmit={submit}>
      <TextInput
        label={strings.projects.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <TextInput
        label={strings.projects.slug}
        description={strings.projects.slugHint}
        value={slug ?? slugOf(name)}
        onChange={(event) => setSlug(event.currentTarget.value)}
        maxLength={63}
        required
      />
    </ActionForm>
  );
}
