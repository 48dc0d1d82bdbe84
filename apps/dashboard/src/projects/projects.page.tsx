import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { TextLink } from '../parts/text-link.js';
import { strings } from '../strings.js';
import { CreateProject } from './create-project.js';
import { Plan } from './plan.js';
import { projectsQuery } from './projects.queries.js';

/** The start page: all projects of the organization. */
export function ProjectsPage() {
  const projects = useQuery(projectsQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={strings.projects.title}
      actions={<Button onClick={() => setCreating(true)}>{strings.projects.create}</Button>}
    >
      <Plan />
      <Loaded query={projects}>
        {(list) =>
          list.length === 0 ? (
            <Text>{strings.projects.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((project) => (
                <Card key={project.id} component="li" withBorder>
                  <Stack gap="xs">
                    <Group justify="space-between">
                      <Text component="h2" fw={600}>
                        <TextLink to={`/projects/${project.id}`}>{project.name}</TextLink>
                      </Text>
                      <TextLink to={`/projects/${project.id}/settings/domains`}>
                        {strings.projects.openDomains}
                        <span className="visually-hidden"> ({project.name})</span>
                      </TextLink>
                    </Group>
                    <FieldList
                      fields={[
                        [strings.projects.address, <span className="value">{project.url}</span>],
                        [strings.projects.created, <Instant at={project.createdAt} />],
                      ]}
                    />
                  </Stack>
                </Card>
              ))}
            </ul>
          )
        }
      </Loaded>
      <CreateProject opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}
