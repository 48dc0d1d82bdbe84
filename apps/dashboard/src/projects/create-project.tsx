import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, bodyOf } from '../api/api.js';
import { ApiFailure } from '../api/api-failure.js';
import { ActionForm } from '../parts/action-form.js';
import { Dialog } from '../parts/dialog.js';
import { strings } from '../strings.js';
import { projectsQuery } from './projects.queries.js';
import { slugOf, unreservedSlug } from './slug-of.js';

interface CreateProjectProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateProject({ opened, onClose }: CreateProjectProps) {
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
    mutationFn: (body: { name: string; slug: string }) => bodyOf(api().POST('/v1/projects', { body })),
    onSuccess: async (project) => {
      await queryClient.invalidateQueries(projectsQuery);
      onClose();
      navigate(`/projects/${project.id}`);
    },
    onError: (error) => {
      // The form shows why; a slug that nobody typed gives way.
      if (slug === null && error instanceof ApiFailure && error.code === 'name_reserved')
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
