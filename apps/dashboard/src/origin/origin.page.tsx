import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../components/loaded.js';
import { Notice } from '../components/notice.js';
import { Page, Section } from '../components/page.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { CurrentOrigin, OriginForm } from './origin-settings.js';
import { originStrings as text } from './origin-strings.js';
import { originQuery } from './origin.queries.js';

/** The application that answers for a project: its state, its last test, and a form that sets it. */
export default function OriginPage({ projectId }: { readonly projectId: string }) {
  const may = useMay();
  const place = { projectId };
  const origin = useQuery(originQuery(place));
  return (
    <Page title={text.title} above={<Text c="dimmed">{strings.navigation.projectSettings}</Text>}>
      <Text>{text.about}</Text>
      <Loaded query={origin}>
        {(current) => (
          <>
            {current === null ? (
              <Notice tone="neutral">{text.none}</Notice>
            ) : (
              <Section title={text.current} isCard>
                <CurrentOrigin place={place} origin={current} />
              </Section>
            )}
            {may('putOrigin') && (
              <Section title={current === null ? text.set : text.change} isCard>
                {/* What was saved elsewhere replaces what is in the fields. */}
                <OriginForm key={current?.updatedAt ?? ''} place={place} current={current} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
