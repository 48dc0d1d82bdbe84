/** Starts pets-api as `main.js` does, with a clock after the sunset of `GET /v1/pets/{petId}`. */
import { createLogger, loadConfigOrExit, stopOnSignal } from '@pets/platform';
import { configSchema } from '../../../pets-api/dist/platform/config.js';
import { createApp } from '../../../pets-api/dist/create-app.js';

const config = loadConfigOrExit(configSchema);
const log = createLogger('pets-api', config.LOG_LEVEL);
const { app, stop } = await createApp(config, log, () => new Date('2030-12-05T00:00:00Z'));
stopOnSignal(log, stop);
await app.startAllMicroservices();
await app.listen(config.PORT, config.HOST);
