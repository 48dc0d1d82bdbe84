import type { Notice as OwnerNotice } from '@pets/contracts';
import { Link } from 'wouter';
import { Notice } from '../components/notice.js';
import { useOrganization } from '../session/caller.js';
import { peopleStrings as text } from './people-strings.js';

/** Above every page, what owners have to know. The API sends it to nobody else. */
export function OwnerNotices() {
  return useOwnerNotices().map(({ code, at, message, personId }) => (
    <Notice key={`${code} ${personId} ${at}`} tone="warning">
      <p>
        {message}{' '}
        {code === 'keys_left_behind' ? (
          <Link to="/people">{text.toPeople}</Link>
        ) : (
          <Link to="/audit">{text.toLog}</Link>
        )}
      </p>
    </Notice>
  ));
}

export function useOwnerNotices(): readonly OwnerNotice[] {
  return useOrganization().data?.notices ?? [];
}
