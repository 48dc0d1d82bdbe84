# One image a process: docker build --target pets-api|domains-worker|edge .
FROM node:24-bookworm-slim AS build
WORKDIR /src
ENV NX_DAEMON=false
COPY . .
RUN npm install --no-audit --no-fund \
 && npx nx run-many -t build -p pets-api domains-worker edge \
 && npm prune --no-audit --no-fund --omit=dev --omit=optional

FROM node:24-bookworm-slim AS runtime
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/libs ./libs
# The volumes' mount points, so that a named volume belongs to the user of the process.
RUN install -d -o node -g node /data/deployments /data/edge
USER node

FROM runtime AS pets-api
COPY --from=build /src/apps/pets-api ./apps/pets-api
CMD ["node", "apps/pets-api/dist/main.js"]

FROM runtime AS domains-worker
COPY --from=build /src/apps/domains-worker ./apps/domains-worker
CMD ["node", "apps/domains-worker/dist/main.js"]

FROM runtime AS edge
COPY --from=build /src/apps/edge ./apps/edge
CMD ["node", "apps/edge/dist/main.js"]
