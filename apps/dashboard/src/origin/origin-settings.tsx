import { Group, TextInput } from '@mantine/core';
import type { OriginPlace } from '@pets/client';
import { originFailureTexts, type Origin } from '@pets/contracts';
import { formatInstant, sentence } from '@pets/domain-setup';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionError } from '../components/error.js';
import { ActionButton, ActionForm, ConfirmRequest } from '../components/form.js';
import { Notice, StatusPill } from '../components/notice.js';
import { FieldList } from '../components/page.js';
import { domainQuery } from '../domains/domains.queries.js';
import { projectQuery } from '../projects/projects.queries.js';
import { useMay } from '../session/caller.js';
import { originStrings as text } from './origin-strings.js';
import { originQuery, requestsOf } from './origin.queries.js';

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

/** The state of an application, and its last test. */
export function CurrentOrigin({ place, origin }: { readonly place: OriginPlace; readonly origin: Origin }) {
  const may = useMay();
  const refresh = useRefresh(place);
  const [isRemoving, setRemoving] = useState(false);
  const isOfProject = place.domain === undefined;
  const test = useMutation({
    mutationFn: () => dataOf(requestsOf(place).test()),
    onSuccess: (tested) => refresh(text.tested, tested),
  });
  return (
    <>
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
        {may(isOfProject ? 'testOrigin' : 'testDomainOrigin') && (
          <ActionButton variant="default" isBusy={test.isPending} onClick={() => test.mutate()}>
            {text.test}
          </ActionButton>
        )}
        {may(isOfProject ? 'deleteOrigin' : 'deleteDomainOrigin') && (
          <ActionButton variant="default" isBusy={false} onClick={() => setRemoving(true)}>
            {text.remove}
          </ActionButton>
        )}
      </Group>
      <Dialog opened={isRemoving} onClose={() => setRemoving(false)} title={text.removeTitle}>
        <ConfirmRequest
          text={isOfProject ? text.removeText : text.removeTextOfDomain}
          label={text.remove}
          request={() => dataOf(requestsOf(place).remove())}
          onDone={() => refresh(text.removed, null)}
          onCancel={() => setRemoving(false)}
        />
      </Dialog>
    </>
  );
}

function describeTest({ test: { finishedAt, status, durationMs, failure } }: Origin): string {
  if (finishedAt === null) return text.open;
  if (failure !== null) return `${sentence(originFailureTexts[failure.code])} (${failure.detail})`;
  return text.passed(status ?? 0, durationMs ?? 0);
}

interface OriginFormProps {
  readonly place: OriginPlace;
  readonly current: Origin | null;
}

/** Sets an application, or changes what is shown of it; limits and metadata stay as they are. */
export function OriginForm({ place, current }: OriginFormProps) {
  const refresh = useRefresh(place);
  const [url, setUrl] = useState(current?.url ?? '');
  const [hostHeader, setHostHeader] = useState(current?.hostHeader ?? '');
  const [headerName, setHeaderName] = useState(current?.headers[0] ?? '');
  const [headerValue, setHeaderValue] = useState('');
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        requestsOf(place).put({
          url,
          hostHeader: hostHeader === '' ? null : hostHeader,
          ...(headerValue !== '' && { headers: { [headerName]: headerValue } }),
          ...(current !== null && {
            timeouts: current.timeouts,
            metadata: [...current.metadata],
            maxConnections: current.maxConnections,
          }),
        }),
      ),
    onSuccess: (saved) => refresh(text.saved, saved),
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

/** Shows the origin after a change, reads again what serves it, and says what was done. */
function useRefresh(place: OriginPlace): (done: string, current: Origin | null) => Promise<void> {
  const queryClient = useQueryClient();
  const { projectId, domain } = place;
  return async (done, current) => {
    announce(done);
    queryClient.setQueryData(originQuery(place).queryKey, current);
    if (domain === undefined) await queryClient.invalidateQueries(projectQuery(projectId));
    else await queryClient.invalidateQueries(domainQuery(projectId, domain));
  };
}
