import { Checkbox, Menu, NativeSelect, Text } from '@mantine/core';
import type { components } from '@pets/client';
import { displayName, type Domain } from '@pets/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { projectsQuery } from '../projects/projects.queries.js';
import { MenuButton } from './domain-menu-button.js';
import { domainStrings, removalStrings } from './domain-strings.js';
import { invalidateDomains } from './domains.queries.js';
import { ConfirmRemoval } from './removal.js';

export interface DomainMenuProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'pendingEdges' | 'coveredBy'>;
}

/** The menu of a domain with its dialogs, open. */
export default function OpenedDomainMenu({ projectId, domain }: DomainMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const [isMoving, setMoving] = useState(false);
  useEffect(() => {
    // It takes the place of the button that was pressed, and gets the focus back when it closes.
    button.current?.focus();
    setOpened(true);
  }, []);
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false} opened={isOpened} onChange={setOpened}>
        <Menu.Target>
          <MenuButton ref={button} domain={domain} />
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

/** The texts about moves to another project. */
const moveStrings = {
  action: 'Move to another project',
  title: (name: string) => `Move ${name}`,
  text:
    'Visitors get the site of the other project, without an interruption. DNS records, certificate and history stay as ' +
    'they are.',
  project: 'Move to',
  none: 'Create another project and deploy it first. A domain can then move to it.',
  redirects: 'Also move the redirects from and to this domain, and the domains that they connect',
  confirm: 'Move domain',
  done: (name: string, project: string) => `${name} moved to ${project}.`,
};

interface MoveProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName'>;
  readonly onClose: () => void;
}

type Project = components['schemas']['Project'];

/** The content of the dialog that moves a domain to another project. */
function MoveDomain(props: MoveProps) {
  const projects = useQuery(projectsQuery);
  return (
    <Loaded query={projects}>
      {(all) => {
        const [first, ...others] = all.filter(({ id }) => id !== props.projectId);
        if (first === undefined) return <Text>{moveStrings.none}</Text>;
        return <MoveForm {...props} targets={[first, ...others]} />;
      }}
    </Loaded>
  );
}

function MoveForm({
  projectId,
  domain,
  onClose,
  targets,
}: MoveProps & { readonly targets: readonly [Project, ...Project[]] }) {
  const [target, setTarget] = useState<Project>(targets[0]);
  const [withRedirects, setWithRedirects] = useState(false);
  const move = useMove(projectId, domain, onClose);
  return (
    <ActionForm
      label={moveStrings.confirm}
      action={move}
      onSubmit={() => move.mutate({ target, redirects: withRedirects ? 'move' : 'refuse' })}
    >
      <Text>{moveStrings.text}</Text>
      <NativeSelect
        label={moveStrings.project}
        value={target.id}
        onChange={(event) => setTarget(targets.find(({ id }) => id === event.currentTarget.value) ?? target)}
        data={targets.map(({ id, name, slug }) => ({ value: id, label: `${name} (${slug})` }))}
        data-autofocus
      />
      <Checkbox
        label={moveStrings.redirects}
        checked={withRedirects}
        onChange={(event) => setWithRedirects(event.currentTarget.checked)}
      />
    </ActionForm>
  );
}

function useMove(projectId: string, domain: MoveProps['domain'], onClose: () => void) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: ({ target, redirects }: { target: Project; redirects: 'refuse' | 'move' }) =>
      dataOf(
        api().POST('/v1/projects/{projectId}/domains/{domain}/move', {
          params: { path: { projectId, domain: domain.id } },
          body: { projectId: target.id, redirects },
        }),
      ),
    onSuccess: async (_moved, { target }) => {
      onClose();
      announce(moveStrings.done(displayName(domain), target.name));
      navigate(`/projects/${target.id}/settings/domains/${domain.id}`);
      // With it, other domains and the redirects of both projects may have moved.
      for (const id of [projectId, target.id]) {
        await invalidateDomains(queryClient, id, 'all');
        await queryClient.invalidateQueries({ queryKey: ['projects', id, 'domain-config'] });
      }
    },
  });
}
