import type { Command as Program } from 'commander';
import {
  activateDeployment,
  createProject,
  deleteDeployment,
  deploy,
  listDeployments,
  listProjects,
} from '../projects/project-commands.js';
import { readPathStep } from './arguments.js';
import type { Runner } from './runner.js';

/** `pets projects …`, `pets deploy` and `pets deployments …` */
export function addProjectCommands(program: Program, runner: Runner): void {
  const projects = program.command('projects').description('projects, which are served together');
  projects
    .command('list')
    .description('list the projects')
    .action((_own: object, at: Program) => runner(listProjects)([], at.optsWithGlobals()));
  projects
    .command('create')
    .description('create a project')
    .argument('<slug>', 'the label below the platform’s domain')
    .option('--name <name>', 'what people call it; the slug unless given')
    .action((slug: string, own: { name?: string }, at: Program) =>
      runner(createProject)([slug, own], at.optsWithGlobals()),
    );
  program
    .command('deploy')
    .description('publish the files of a folder; names that begin with a dot are left out, but for .well-known')
    .argument('<dir>', 'the folder')
    .action((folder: string, _own: object, at: Program) => runner(deploy)([folder], at.optsWithGlobals()));
  const deployments = program.command('deployments').description('what was published');
  deployments
    .command('list')
    .description('list the deployments of a project')
    .action((_own: object, at: Program) => runner(listDeployments)([], at.optsWithGlobals()));
  deployments
    .command('activate')
    .description('serve an earlier deployment again')
    .argument('<id>', 'the deployment', readPathStep)
    .action((id: string, _own: object, at: Program) => runner(activateDeployment)([id], at.optsWithGlobals()));
  deployments
    .command('delete')
    .description('delete an earlier deployment; its files are deleted after about a day')
    .argument('<id>', 'the deployment', readPathStep)
    .action((id: string, _own: object, at: Program) => runner(deleteDeployment)([id], at.optsWithGlobals()));
}
