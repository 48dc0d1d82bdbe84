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
  const projects = program.command('projects').description('manage projects');
  projects
    .command('list')
    .description('list the projects')
    .action((_own: object, at: Program) => runner(listProjects)([], at.optsWithGlobals()));
  projects
    .command('create')
    .description('create a project')
    .argument('<slug>', 'first label of the platform URL')
    .option('--name <name>', 'display name (default: the slug)')
    .action((slug: string, own: { name?: string }, at: Program) =>
      runner(createProject)([slug, own], at.optsWithGlobals()),
    );
  program
    .command('deploy')
    .description('deploy the files of a folder, without dotfiles except .well-known')
    .argument('<dir>', 'folder to deploy')
    .action((folder: string, _own: object, at: Program) => runner(deploy)([folder], at.optsWithGlobals()));
  const deployments = program.command('deployments').description('manage deployments');
  deployments
    .command('list')
    .description('list the deployments of a project')
    .action((_own: object, at: Program) => runner(listDeployments)([], at.optsWithGlobals()));
  deployments
    .command('activate')
    .description('activate an earlier deployment')
    .argument('<id>', 'deployment ID', readPathStep)
    .action((id: string, _own: object, at: Program) => runner(activateDeployment)([id], at.optsWithGlobals()));
  deployments
    .command('delete')
    .description('delete an earlier deployment; its files are deleted after about a day')
    .argument('<id>', 'deployment ID', readPathStep)
    .action((id: string, _own: object, at: Program) => runner(deleteDeployment)([id], at.optsWithGlobals()));
}
