import type { Person, RemovePersonQuery } from '@pets/contracts';
import { NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { invalidateApiKeys } from '../api-keys/api-keys.queries.js';
import { announce } from '../components/announcer.js';
import { ConfirmRequest } from '../components/confirm-request.js';
import { useMay } from '../session/caller.js';
import { invalidatePeople, keysOfPersonQuery, nameOf, SHOWN_KEYS } from './people.queries.js';
import { peopleStrings as text } from './people-strings.js';

interface RemovePersonProps {
  readonly person: Pick<Person, 'id' | 'name' | 'email'>;
  /** Somebody whose membership has ended, and only the keys are left. */
  readonly hasLeft?: boolean;
  readonly onClose: () => void;
}

type Decision = NonNullable<RemovePersonQuery['keys']>;

/** Asks before a removal, and what becomes of the keys that the person made: revoked, unless somebody chooses to keep them. */
export function RemovePerson({ person: { id, ...person }, hasLeft = false, onClose }: RemovePersonProps) {
  const queryClient = useQueryClient();
  const mayList = useMay()('listApiKeys');
  const keys = useQuery({ ...keysOfPersonQuery(id), enabled: mayList });
  const [decision, setDecision] = useState<Decision>('revoke');
  if (mayList && keys.isPending) return <p role="status">{text.keysLoading}</p>;
  const listed = keys.data ?? [];
  // Without the list, the API says whether there is something to decide.
  const isAsked = !keys.isSuccess || listed.length > 0;
  const query = isAsked ? { keys: decision } : {};
  return (
    <ConfirmRequest
      text={hasLeft ? text.leftText : text.removeText}
      label={hasLeft ? text.decide[decision] : text.remove}
      request={() => dataOf(api().DELETE('/v1/people/{personId}', { params: { path: { personId: id }, query } }))}
      onDone={async () => {
        onClose();
        announce(hasLeft ? text.decided : text.removed(nameOf(person, text.unnamed)));
        await Promise.all([invalidatePeople(queryClient), invalidateApiKeys(queryClient)]);
      }}
      onCancel={onClose}
    >
      {isAsked && (
        <>
          {listed.length > 0 && (
            <ul aria-label={text.keys}>
              {listed.slice(0, SHOWN_KEYS).map((key) => (
                <li key={key.id}>
                  {key.name} <small className="value">{key.display}</small>
                </li>
              ))}
              {listed.length > SHOWN_KEYS && <li>{text.moreKeys}</li>}
            </ul>
          )}
          <NativeSelect
            label={text.keysQuestion}
            value={decision}
            onChange={({ currentTarget }) => setDecision(currentTarget.value === 'keep' ? 'keep' : 'revoke')}
            data={[
              { value: 'revoke', label: text.decide.revoke },
              { value: 'keep', label: text.decide.keep },
            ]}
          />
        </>
      )}
    </ConfirmRequest>
  );
}
