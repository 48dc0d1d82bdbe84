import { Button, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { announce } from '../components/announcer.js';
import { organizationQuery } from '../projects/projects.queries.js';
import { signOut } from '../session/session-requests.js';
import { strings } from '../strings.js';

const schemes = ['auto', 'light', 'dark'] as const satisfies readonly MantineColorScheme[];

/** The organization and its plan, the theme, the documentation, and the way out. */
export function AccountMenu() {
  const { data: organization } = useQuery(organizationQuery);
  // Without transitions, it would write a style element, which the content security policy refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const text = strings.account;
  const end = useMutation({
    mutationFn: signOut,
    // Without a network it fails, instead of waiting for one: the user may leave meanwhile.
    networkMode: 'always',
    onError: () => announce(text.signOutFailed),
  });
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" size="sm" className="account">
          <span className="visually-hidden">{text.of}</span>
          <span className="account-name">{organization?.name ?? text.account}</span>
          {organization !== undefined && <span className="account-plan">{strings.plans[organization.plan]}</span>}
          <span aria-hidden="true"> ▾</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={text.menu(organization?.name ?? '')}>
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
