import { Button, Text, TextInput } from '@mantine/core';
import type { components } from '@pets/client';
import { formatInstant } from '@pets/domain-setup';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, ApiError, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ExternalLink } from '../components/external-link.js';
import { Dialog } from '../components/dialog.js';
import { SearchField, useSearch } from '../components/filters.js';
import { ActionForm } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { EmptyState, Notice, Suspensions } from '../components/notice.js';
import { Page, TextLink } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { useMay, useOrganization } from '../session/caller.js';
import { strings } from '../strings.js';
import { organizationQuery, projectListQuery, projectsQuery } from './projects.queries.js';

/** The start page. */
export function ProjectsPage() {
  const may = useMay();
  const search = useSearch();
  const projects = useInfiniteQuery(projectListQuery(search.term));
  const { data: organization } = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const text = strings.projects;
  const create = may('createProject') && <Button onClick={() => setCreating(true)}>{text.create}</Button>;
  return (
    <Page
      title={text.title}
      status={
        organization && (
          <span className="muted">{strings.usage(organization.usage.projects, organization.limits.projects)}</span>
        )
      }
      actions={create}
    >
      <Plan />
      <div className="toolbar">
        <SearchField label={text.search} search={search} maxLength={100} />
      </div>
      <Paged query={projects}>
        {(list) => {
          if (list.length > 0) return <ProjectTable projects={list} />;
          if (search.term !== '') return <EmptyState title={text.noneFound} text={text.noneFoundText} />;
          return (
            <EmptyState title={text.emptyTitle} text={text.empty}>
              {create}
            </EmptyState>
          );
        }}
      </Paged>
      <CreateProject opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

type Project = components['schemas']['Project'];

function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
  const text = strings.projects;
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={projects}
        keyOf={({ id }) => id}
        columns={[
          {
            header: text.name,
            kind: 'title',
            cell: ({ id, name }) => <TextLink to={`/projects/${id}`}>{name}</TextLink>,
          },
          { header: text.address, cell: ({ url }) => <ExternalLink href={url}>{url}</ExternalLink> },
          { header: text.created, kind: 'tight', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          {
            header: text.domains,
            kind: 'tight',
            cell: ({ id, name }) => (
              <TextLink to={`/projects/${id}/settings/domains`}>
                {text.openDomains}
                <span className="visually-hidden"> ({name})</span>
              </TextLink>
            ),
          },
        ]}
      />
    </div>
  );
}

/** The plan of the organization and its domain limit. Empty until loaded. */
function Plan() {
  const { data } = useOrganization();
  if (data === undefined) return null;
  const { name, plan, limits, domainsEndAt, suspensions } = data;
  return (
    <>
      <Text c="dimmed">{strings.projects.plan(name, strings.plans[plan], limits.domainsPerProject)}</Text>
      {domainsEndAt !== null && (
        <Notice tone="warning" title={strings.projects.planEndsTitle}>
          {strings.projects.planEndsText(formatInstant(domainsEndAt))}
        </Notice>
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
      await queryClient.invalidateQueries(organizationQuery);
      onClose();
      navigate(`/projects/${project.id}`);
    },
    onError: (error) => {
      // The form shows the error. A slug that the user did not edit is replaced.
      if (slug === null && error instanceof ApiError && error.code === 'name_reserved')
        setSlug(unreservedSlug(slugOf(name)));
    },
  });
  const submit = () => create.mutate({ name, slug: slug ?? slugOf(name) });
  const { texts, isAtField } = fieldErrorsOf(create.error, ['name', 'slug']);
  return (
    <ActionForm label={strings.projects.create} action={create} onSubmit={submit} isErrorAtField={isAtField}>
      <TextInput
        label={strings.projects.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        error={texts.name}
        required
        data-autofocus
      />
      <TextInput
        label={strings.projects.slug}
        description={strings.projects.slugHint}
        value={slug ?? slugOf(name)}
        onChange={(event) => setSlug(event.currentTarget.value)}
        maxLength={63}
        error={texts.slug}
        required
      />
    </ActionForm>
  );
}

const MAX_LABEL_LENGTH = 63;

const SUFFIX = '-site';

/** Proposes a slug for the name of a project: a valid host name label in lower case. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL_LENGTH)
    .replaceAll(/^-|-$/g, '');
}

/** Proposes another slug when the platform reserves the first. */
export function unreservedSlug(reserved: string): string {
  return reserved.slice(0, MAX_LABEL_LENGTH - SUFFIX.length).replace(/-$/, '') + SUFFIX;
}
