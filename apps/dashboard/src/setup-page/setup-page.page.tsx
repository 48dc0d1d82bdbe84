import { FileButton, Group, Text, Textarea, TextInput } from '@mantine/core';
import type { SetupPage } from '@pets/contracts';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { ActionButton, ActionForm } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { FieldList, Page, Section } from '../components/page.js';
import { useMay } from '../session/caller.js';

/** The texts about the look of the pages of set-up links. */
const text = {
  title: 'Set-up page',
  about:
    'The page of a set-up link shows these to the owner of a domain, who has no account here. A set-up link is created on the page ' +
    'of a domain.',
  logo: 'Logo',
  noLogo: 'No logo.',
  logoHint: 'PNG or WebP, at most 64 KiB and 1024 × 1024 pixels. It is shown at most 40 pixels high.',
  choose: 'Choose an image',
  replace: 'Replace the logo',
  remove: 'Remove the logo',
  uploading: 'Uploading…',
  uploaded: 'Logo changed.',
  removed: 'Logo removed.',
  alt: (name: string | null) => (name === null ? 'Your logo' : `Logo of ${name}`),
  look: 'Name, colour and help',
  name: 'Name',
  nameHint: 'As the owners of domains know you.',
  color: 'Colour of buttons',
  colorHint: 'Such as #1a5fb4. The text on it is white.',
  support: 'Address for help',
  supportHint: 'An e-mail address or an https URL.',
  origins: 'Origins of your pages',
  originsHint: 'Such as https://app.example.com, one a line. A link may lead back to these only.',
  none: 'None',
  save: 'Save',
  saved: 'Set-up page changed.',
};

const setupPageQuery = queryOptions({
  queryKey: ['setup-page'],
  queryFn: ({ signal }) => dataOf(api().GET('/v1/setup-page', { signal })),
});

/** How the pages of all set-up links look. */
export default function SetupPagePage() {
  const may = useMay();
  const page = useQuery(setupPageQuery);
  return (
    <Page title={text.title}>
      <Text>{text.about}</Text>
      <Loaded query={page}>
        {(current) => (
          <>
            <LogoSection page={current} />
            <Section title={text.look} isCard>
              {may('putSetupPage') ? <LookForm current={current} /> : <Look current={current} />}
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function LogoSection({ page: { logo, name } }: { readonly page: SetupPage }) {
  const may = useMay();
  const refresh = useRefresh();
  const put = useMutation({
    mutationFn: (file: File) =>
      dataOf(api().PUT('/v1/setup-page/logo', { headers: { 'content-type': imageType(file) }, body: file })),
    onSuccess: () => refresh(text.uploaded),
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api().DELETE('/v1/setup-page/logo')),
    onSuccess: () => refresh(text.removed),
  });
  const choose = logo === null ? text.choose : text.replace;
  return (
    <Section title={text.logo} isCard>
      {logo === null ? (
        <Text c="dimmed">{text.noLogo}</Text>
      ) : (
        <img
          src={new URL(logo.url).pathname}
          width={logo.width}
          height={logo.height}
          alt={text.alt(name)}
          className="setup-logo"
        />
      )}
      <Text size="sm" c="dimmed">
        {text.logoHint}
      </Text>
      <ActionError error={put.error ?? remove.error} />
      {may('putSetupLogo') && (
        <Group>
          <FileButton
            accept="image/png,image/webp"
            onChange={(file) => file !== null && put.mutate(file)}
            inputProps={{ 'aria-label': choose }}
          >
            {(props) => (
              <ActionButton {...props} variant="default" isBusy={put.isPending} busyLabel={text.uploading}>
                {choose}
              </ActionButton>
            )}
          </FileButton>
          {logo !== null && (
            <ActionButton variant="default" isBusy={remove.isPending} onClick={() => remove.mutate()}>
              {text.remove}
            </ActionButton>
          )}
        </Group>
      )}
    </Section>
  );
}

/** The API says what is wrong with a file that is neither. */
function imageType({ type }: File): 'image/png' | 'image/webp' {
  return type === 'image/webp' ? type : 'image/png';
}

/** For those who may not change it. */
function Look({ current: { name, color, supportAddress, returnOrigins } }: { readonly current: SetupPage }) {
  return (
    <FieldList
      fields={[
        [text.name, name ?? text.none],
        [text.color, color ?? text.none],
        [text.support, supportAddress ?? text.none],
        [text.origins, returnOrigins.length === 0 ? text.none : returnOrigins.join(', ')],
      ]}
    />
  );
}

function LookForm({ current }: { readonly current: SetupPage }) {
  const refresh = useRefresh();
  const [name, setName] = useState(current.name ?? '');
  const [color, setColor] = useState(current.color ?? '');
  const [support, setSupport] = useState(current.supportAddress ?? '');
  const [origins, setOrigins] = useState(current.returnOrigins.join('\n'));
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        api().PUT('/v1/setup-page', {
          body: {
            name: given(name),
            color: given(color),
            supportAddress: given(support),
            returnOrigins: origins.split(/\s+/).filter((origin) => origin !== ''),
          },
        }),
      ),
    onSuccess: () => refresh(text.saved),
  });
  const { texts, isAtField } = fieldErrorsOf(save.error, ['name', 'color', 'supportAddress', 'returnOrigins']);
  return (
    <ActionForm label={text.save} action={save} onSubmit={() => save.mutate()} isErrorAtField={isAtField}>
      <TextInput
        label={text.name}
        description={text.nameHint}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={texts.name}
        autoComplete="off"
      />
      <TextInput
        label={text.color}
        description={text.colorHint}
        value={color}
        onChange={({ currentTarget }) => setColor(currentTarget.value)}
        error={texts.color}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label={text.support}
        description={text.supportHint}
        value={support}
        onChange={({ currentTarget }) => setSupport(currentTarget.value)}
        error={texts.supportAddress}
        autoComplete="off"
        spellCheck={false}
      />
      <Textarea
        label={text.origins}
        description={text.originsHint}
        value={origins}
        onChange={({ currentTarget }) => setOrigins(currentTarget.value)}
        error={texts.returnOrigins}
        rows={3}
        autoComplete="off"
        spellCheck={false}
      />
    </ActionForm>
  );
}

/** A field that is empty removes what was there. */
function given(value: string): string | null {
  return value.trim() === '' ? null : value.trim();
}

/** Reads the page again after a change, and says what was done. */
function useRefresh(): (done: string) => Promise<void> {
  const queryClient = useQueryClient();
  return async (done) => {
    announce(done);
    await queryClient.invalidateQueries(setupPageQuery);
  };
}
