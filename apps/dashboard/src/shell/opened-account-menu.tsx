import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../components/announcer.js';
import { nameOf } from '../people/people.queries.js';
import { peopleStrings } from '../people/people-strings.js';
import { useOrganization, usePerson } from '../session/caller.js';
import { signOut } from '../session/session-requests.js';
import { strings } from '../strings.js';
import { AccountButton } from './account-button.js';

const schemes = ['auto', 'light', 'dark'] as const satisfies readonly MantineColorScheme[];

/** The theme, the documentation, and the way out, open. */
export default function OpenedAccountMenu() {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  useEffect(() => {
    // It takes the place of the button that was pressed, and gets the focus back when it closes.
    button.current?.focus();
    setOpened(true);
  }, []);
  const { data: organization } = useOrganization();
  // Without transitions, it would write a style element, which the content security policy refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const text = strings.account;
  const person = usePerson();
  const end = useMutation({
    mutationFn: signOut,
    // Without a network it fails, instead of waiting for one: the user may leave meanwhile.
    networkMode: 'always',
    onError: () => announce(text.signOutFailed),
  });
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false} opened={isOpened} onChange={setOpened}>
      <Menu.Target>
        <AccountButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown aria-label={text.menu(organization?.name ?? '')}>
        {person && (
          <Menu.Label>
            {nameOf(person, peopleStrings.unnamed)} · {peopleStrings.roles[person.role]}
          </Menu.Label>
        )}
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(schemes.find((each) => each === value) ?? 'auto')}
        >
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
              {text.themes[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider role="separator" />
        <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer">
          {text.docs}
        </Menu.Item>
        <Menu.Item onClick={() => end.mutate()}>{strings.navigation.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
