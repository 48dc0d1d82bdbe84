export { copyRepository } from './dev/repository-copy.js';
export { portVariables, runStartCommand, type RunningStack } from './stack.js';
export { bringUp } from './supervisor/bring-up.js';
export { settingsSchema } from './supervisor/settings.js';
export { Supervisor } from './supervisor/supervisor.js';
export { readDevFile, type DevFile } from './supervisor/dev-file.js';
export { createProject, createTenant, deployPage } from './supervisor/seed.js';
export { callApi, createScenarioClient, type ScenarioClient } from './scenario/scenario-client.js';
export { runScenario } from './scenario/scenario.js';
export { brokenSetups, DEV_EDGE_ADDRESS, openDevRecords, type DevRecords } from './scenario/dev-records.js';
export {
  addEntry,
  addValue,
  changeEntry,
  deleteEntry,
  findEntry,
  providerForms,
  type ProviderZone,
  type Typed,
  openProviderZone,
  publishZone,
} from './scenario/provider-forms.js';
