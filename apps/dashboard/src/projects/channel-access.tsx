import { NativeSelect, Text } from '@mantine/core';
import type { components } from '@pets/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { ActionButton, ActionForm } from '../components/form.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { channelsQuery } from './projects.queries.js';

const DAY_SECONDS = 24 * 60 * 60;
const validDays = [1, 7, 30] as const;

const text = {
  title: (name: string) => `Access to ${name}`,
  isPublic: 'Everybody may read this channel. If you protect it, it opens only with a link.',
  protect: 'Protect',
  protected: 'Channel protected.',
  isProtected: 'This channel opens only with a link. Everybody who has a link can open it until it ends.',
  what: 'Link',
  saved: 'I have copied this link',
  create: 'Create link',
  valid: 'Valid for',
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  end: 'End all links',
  ended: 'All links ended.',
  pending: 'All links ended. Some edges may accept them for a short time.',
  open: 'Let everybody in',
  opened: 'Everybody may read the channel.',
};

type Channel = components['schemas']['Channel'];

interface ChannelAccessProps {
  readonly projectId: string;
  readonly channel: Channel;
  readonly onClose: () => void;
}

/** A dialog that says who may read a channel, changes it, and creates links. */
export function ChannelAccess({ projectId, channel, onClose }: ChannelAccessProps) {
  return (
    <SecretDialog
      opened
      onClose={onClose}
      title={text.title(channel.name)}
      what={text.what}
      confirm={text.saved}
      form={(onCreated) =>
        channel.access === 'public' ? (
          <ProtectForm projectId={projectId} name={channel.name} />
        ) : (
          <LinkForm projectId={projectId} name={channel.name} onCreated={onCreated} />
        )
      }
    />
  );
}

interface FormProps {
  readonly projectId: string;
  readonly name: string;
}

function ProtectForm({ projectId, name }: FormProps) {
  const protect = useAccess({ projectId, name }, 'link', text.protected);
  return (
    <ActionForm label={text.protect} action={protect} onSubmit={() => protect.mutate()}>
      <Text>{text.isPublic}</Text>
    </ActionForm>
  );
}

function LinkForm({ projectId, name, onCreated }: FormProps & { readonly onCreated: (url: string) => void }) {
  const [days, setDays] = useState('7');
  const params = { path: { projectId, channel: name } };
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/projects/{projectId}/channels/{channel}/links', {
          params,
          body: { expiresIn: Number(days) * DAY_SECONDS },
        }),
      ),
    onSuccess: ({ url }) => onCreated(url),
  });
  const end = useMutation({
    mutationFn: () => dataOf(api().DELETE('/v1/projects/{projectId}/channels/{channel}/links', { params })),
    onSuccess: (pending) => announce(pending === undefined ? text.ended : text.pending),
  });
  const open = useAccess({ projectId, name }, 'public', text.opened);
  return (
    <>
      <ActionForm label={text.create} action={create} onSubmit={() => create.mutate()}>
        <Text>{text.isProtected}</Text>
        <NativeSelect
          label={text.valid}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={validDays.map((count) => ({ value: String(count), label: text.days(count) }))}
          data-autofocus
        />
      </ActionForm>
      <ActionError error={end.error ?? open.error} />
      <div className="row-actions">
        <ActionButton variant="default" isBusy={end.isPending} onClick={() => end.mutate()}>
          {text.end}
        </ActionButton>
        <ActionButton variant="default" isBusy={open.isPending} onClick={() => open.mutate()}>
          {text.open}
        </ActionButton>
      </div>
    </>
  );
}

/** A change of who may read a channel. */
function useAccess({ projectId, name: channel }: FormProps, access: Channel['access'], done: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      dataOf(
        api().PUT('/v1/projects/{projectId}/channels/{channel}', {
          params: { path: { projectId, channel } },
          body: { access },
        }),
      ),
    onSuccess: async () => {
      announce(done);
      await queryClient.invalidateQueries(channelsQuery(projectId));
    },
  });
}
