import { Group, Text, TextInput } from '@mantine/core';
import { originFailureTexts, type Origin } from '@pets/contracts';
import { formatInstant, sentence } from '@pets/domain-setup';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionError } from '../components/error.js';
import { ActionButton, ActionForm, ConfirmRequest } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { Notice, StatusPill } from '../components/notice.js';
import { FieldList, Page, Section } from '../components/page.js';
import { projectQuery } from '../projects/projects.queries.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { originStrings as text } from './origin-strings.js';
import { originQuery } from './origin.queries.js';

interface OriginProps {
  readonly projectId: string;
  readonly origin: Origin;
}

/** The application that answers for a project: its state, its last test, and a form that sets it. */
export default function OriginPage({ projectId }: { readonly projectId: string }) {
  const may = useMay();
  const origin = useQuery(originQuery(projectId));
  return (
    <Page title={text.title} above={<Text c="dimmed">{strings.navigation.projectSettings}</Text>}>
      <Text>{text.about}</Text>
      <Loaded query={origin}>
        {(current) => (
          <>
            {current === null ? (
              <Notice tone="neutral">{text.none}</Notice>
            ) : (
              <CurrentOrigin projectId={projectId} origin={current} />
            )}
            {may('putOrigin') && (
              <Section title={current === null ? text.set : text.change} isCard>
                {/* What was saved elsewhere replaces what is in the fields. */}
                <OriginForm key={current?.updatedAt ?? ''} projectId={projectId} current={current} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const healthTones = { reachable: 'good', failing: 'critical' } as const;

/** The notice is the same element while the application fails, so that it is read out once. */
function Failing({ health }: Pick<Origin, 'health'>) {
  if (health?.failure == null) return null;
  return (
    <Notice tone="critical" role="status" title={text.failing}>
      {`${sentence(originFailureTexts[health.failure.code])} (${health.failure.detail})`}
    </Notice>
  );
}

const tones = { testing: 'neutral', serving: 'good', failed: 'critical' } as const;

function CurrentOrigin({ projectId, origin }: OriginProps) {
  const may = useMay();
  const refresh = useRefresh(projectId);
  const [isRemoving, setRemoving] = useState(false);
  const params = { path: { projectId } };
  const test = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/projects/{projectId}/origin/test', { params })),
    onSuccess: () => refresh(text.tested),
  });
  return (
    <Section title={text.current} isCard>
      <Failing health={origin.health} />
      <FieldList
        fields={[
          [text.url, origin.url],
          [text.state, <StatusPill tone={tones[origin.state]}>{text.states[origin.state]}</StatusPill>],
          [
            text.health,
            origin.health && (
              <>
                <StatusPill tone={healthTones[origin.health.state]}>
                  {text.healthStates[origin.health.state]}
                </StatusPill>{' '}
                {text.since(formatInstant(origin.health.since))}
              </>
            ),
          ],
          [text.lastTest, describeTest(origin)],
          [text.address, origin.test.address],
          [text.hostHeader, origin.hostHeader],
          [text.headers, origin.headers.length === 0 ? null : origin.headers.join(', ')],
        ]}
      />
      <ActionError error={test.error} />
      <Group>
        {may('testOrigin') && (
          <ActionButton variant="default" isBusy={test.isPending} onClick={() => test.mutate()}>
            {text.test}
          </ActionButton>
        )}
        {may('deleteOrigin') && (
          <ActionButton variant="default" isBusy={false} onClick={() => setRemoving(true)}>
            {text.remove}
          </ActionButton>
        )}
      </Group>
      <Dialog opened={isRemoving} onClose={() => setRemoving(false)} title={text.removeTitle}>
        <ConfirmRequest
          text={text.removeText}
          label={text.remove}
          request={() => dataOf(api().DELETE('/v1/projects/{projectId}/origin', { params }))}
          onDone={() => refresh(text.removed)}
          onCancel={() => setRemoving(false)}
        />
      </Dialog>
    </Section>
  );
}

function describeTest({ test: { finishedAt, status, durationMs, failure } }: Origin): string {
  if (finishedAt === null) return text.open;
  if (failure !== null) return `${sentence(originFailureTexts[failure.code])} (${failure.detail})`;
  return text.passed(status ?? 0, durationMs ?? 0);
}

/** Changes what it shows; limits and metadata stay as they are. */
function OriginForm({ projectId, current }: { readonly projectId: string; readonly current: Origin | null }) {
  const refresh = useRefresh(projectId);
  const [url, setUrl] = useState(current?.url ?? '');
  const [hostHeader, setHostHeader] = useState(current?.hostHeader ?? '');
  const [headerName, setHeaderName] = useState(current?.headers[0] ?? '');
  const [headerValue, setHeaderValue] = useState('');
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        api().PUT('/v1/projects/{projectId}/origin', {
          params: { path: { projectId } },
          body: {
            url,
            hostHeader: hostHeader === '' ? null : hostHeader,
            ...(headerValue !== '' && { headers: { [headerName]: headerValue } }),
            ...(current !== null && {
              timeouts: current.timeouts,
              metadata: [...current.metadata],
              maxConnections: current.maxConnections,
            }),
          },
        }),
      ),
    onSuccess: () => refresh(text.saved),
  });
  const { texts, isAtField } = fieldErrorsOf(save.error, ['url', 'hostHeader', 'headers']);
  return (
    <ActionForm
      label={current === null ? text.set : text.change}
      action={save}
      onSubmit={() => save.mutate()}
      isErrorAtField={isAtField}
    >
      <TextInput
        label={text.url}
        description={text.urlHint}
        type="url"
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        error={texts.url}
        required
      />
      <TextInput
        label={text.hostHeader}
        description={text.hostHint}
        value={hostHeader}
        onChange={({ currentTarget }) => setHostHeader(currentTarget.value)}
        error={texts.hostHeader}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label={text.header}
        description={text.headerHint}
        value={headerName}
        onChange={({ currentTarget }) => setHeaderName(currentTarget.value)}
        error={texts.headers}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label={text.headerValue}
        description={text.headerValueHint}
        value={headerValue}
        onChange={({ currentTarget }) => setHeaderValue(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </ActionForm>
  );
}

/** Reads the origin again after a change, and says what was done. */
function useRefresh(projectId: string): (done: string) => Promise<void> {
  const queryClient = useQueryClient();
  return async (done) => {
    announce(done);
    await queryClient.invalidateQueries(originQuery(projectId));
    await queryClient.invalidateQueries(projectQuery(projectId));
  };
}
