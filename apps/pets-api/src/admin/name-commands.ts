import { findReservation, reservedGroups } from '@pets/domains';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { localReservations } from '../projects/reserved-slugs.js';
import type { AdminCommands, AdminContext } from './command.js';
import { setting } from './options.js';

/** The names below the platform domain. */
export function nameCommands({ db, config }: AdminContext): AdminCommands {
  const projects = new ProjectsRepository(db);
  return {
    'names reserved': {
      usage: '',
      run: async () => {
        const local = localReservations({ ...config, PLATFORM_DOMAIN: setting(config, 'PLATFORM_DOMAIN') });
        const projectsWithReservedName = [];
        for await (const project of projects.eachSlug()) {
          const reservedAs = findReservation(project.slug, local);
          if (reservedAs !== null) projectsWithReservedName.push({ ...project, reservedAs });
        }
        return {
          ...local,
          groups: reservedGroups.map(({ title, numbered, names }) => ({ title, numbered, names })),
          projects: projectsWithReservedName,
        };
      },
    },
  };
}
