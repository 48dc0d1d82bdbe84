import { displayName, type Domain } from '@pets/contracts';
import { ActionIcon, Menu } from '@mantine/core';
import { useRef, useState } from 'react';
import { Dialog } from '../components/form.js';
import { domainStrings, removalStrings } from './domain-strings.js';
import { moveStrings } from './move-strings.js';
import { MoveDomain } from './move.js';
import { ConfirmRemoval } from './removal.js';

interface DomainMenuProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'pendingEdges' | 'coveredBy'>;
}

/** The rare actions on a domain, of its page and of its row. */
export function DomainMenu({ projectId, domain }: DomainMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isConfirming, setConfirming] = useState(false);
  const [isMoving, setMoving] = useState(false);
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon ref={button} variant="default" size={36} aria-label={domainStrings.menu(displayName(domain))}>
            <span aria-hidden="true">⋯</span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setMoving(true)}>{moveStrings.action}</Menu.Item>
          <Menu.Item color="red" onClick={() => setConfirming(true)}>
            {domainStrings.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog
        opener={button}
        opened={isMoving}
        onClose={() => setMoving(false)}
        title={moveStrings.title(displayName(domain))}
      >
        <MoveDomain projectId={projectId} domain={domain} onClose={() => setMoving(false)} />
      </Dialog>
      <Dialog
        opener={button}
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={removalStrings.title(displayName(domain))}
      >
        <ConfirmRemoval projectId={projectId} domain={domain} onClose={() => setConfirming(false)} />
      </Dialog>
    </>
  );
}
