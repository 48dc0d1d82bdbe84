import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { missingHelm, renderRelease } from './chart/chart.js';
import { isAllowed, type End } from './chart/network.js';

const manifests = renderRelease('production');

const pod = (name: string): End => ({ pod: { 'app.kubernetes.io/name': name } });
const [api, worker, edge, migrate] = [pod('pets-api'), pod('domains-worker'), pod('edge'), pod('migrate')];
const challengeDns = pod('challenge-dns');
const stranger = pod('something-else');
const ingressController: End = { pod: {}, namespace: { 'pets/ingress': 'true' } };
const prometheus: End = { pod: {}, namespace: { 'pets/monitoring': 'true' } };
const clusterDns: End = {
  pod: { 'k8s-app': 'kube-dns' },
  namespace: { 'kubernetes.io/metadata.name': 'kube-system' },
};
const otherNamespace: End = { pod: {}, namespace: {} };
const [publicHost, publicHost6, privateHost] = [
  { address: '203.0.113.7' },
  { address: '2606:4700::1' },
  { address: '10.0.0.9' },
];
const metadataService = { address: '169.254.169.254' };

describeWhen(describe, 'the network of production', missingHelm, () => {
  it.each([
    ['edge → pets-api', edge, api, 3001],
    ['ingress controller → pets-api', ingressController, api, 3000],
    ['pets-api → PostgreSQL', api, privateHost, 5432],
    ['pets-api → Redis', api, privateHost, 6379],
    ['pets-api → bucket', api, publicHost, 443],
    ['migrate → PostgreSQL', migrate, privateHost, 5432],
    ['domains-worker → Redis', worker, privateHost, 6379],
    ['domains-worker → edge, for the proof', worker, edge, 8443],
    ['domains-worker → edge, for the challenge path', worker, edge, 8080],
    ['domains-worker → CA', worker, publicHost, 443],
    ['domains-worker → name server by TCP', worker, publicHost, 53],
    ['domains-worker → receiver of webhooks at any port', worker, publicHost, 8088],
    ['domains-worker → the world by IPv6', worker, publicHost6, 443],
    ['domains-worker → name server of challenges', worker, challengeDns, 5353],
    ['resolver of a CA → name server of challenges', publicHost, challengeDns, 5353],
    ['name server of challenges → secondary', challengeDns, publicHost, 53],
    ['visitor → edge, HTTP', publicHost, edge, 8080],
    ['visitor → edge, TLS', publicHost, edge, 8443],
    ['edge → bucket', edge, publicHost, 443],
    ['edge → application', edge, publicHost, 8443],
    ['Prometheus → pets-api', prometheus, api, 9464],
    ['Prometheus → domains-worker', prometheus, worker, 9464],
    ['Prometheus → edge', prometheus, edge, 9090],
    ['pets-api → collector of traces', api, prometheus, 4318],
    ['domains-worker → collector of traces', worker, prometheus, 4318],
    ['edge → collector of traces', edge, prometheus, 4318],
  ])('lets %s', (_title, from, to, port) => {
    expect(isAllowed(manifests, { from, to, port })).toBe(true);
  });

  it.each([
    ['domains-worker → pets-api', worker, api, 3000],
    ['domains-worker → pets-api, internal', worker, api, 3001],
    ['ingress controller → pets-api, internal', ingressController, api, 3001],
    ['Prometheus → pets-api, internal', prometheus, api, 3001],
    ['edge → pets-api, public', edge, api, 3000],
    ['domains-worker → PostgreSQL', worker, privateHost, 5432],
    ['domains-worker → an address inside', worker, privateHost, 443],
    ['domains-worker → the metadata of the node', worker, metadataService, 80],
    ['domains-worker → a strange collector', worker, otherNamespace, 4318],
    ['pets-api → name server of challenges', api, challengeDns, 5353],
    ['name server of challenges → the world', challengeDns, publicHost, 443],
    ['name server of challenges → an address inside', challengeDns, privateHost, 53],
    ['edge → PostgreSQL', edge, privateHost, 5432],
    ['edge → mail', edge, publicHost, 25],
    ['edge → Redis', edge, privateHost, 6379],
    ['edge → domains-worker', edge, worker, 9091],
    ['pets-api → edge', api, edge, 8443],
    ['migrate → anything else', migrate, publicHost, 443],
    ['visitor → pets-api', publicHost, api, 3000],
    ['visitor → metrics of the edge', publicHost, edge, 9090],
    ['ingress controller → metrics of pets-api', ingressController, api, 9464],
    ['Prometheus → the interface', prometheus, api, 3000],
    ['another namespace → pets-api', otherNamespace, api, 3000],
    ['an unknown pod of ours → pets-api', stranger, api, 3000],
    ['an unknown pod of ours → the world', stranger, publicHost, 443],
  ])('refuses %s', (_title, from, to, port) => {
    expect(isAllowed(manifests, { from, to, port })).toBe(false);
  });

  it.each([api, worker, edge, migrate])('lets everyone ask the DNS of the cluster', (from) => {
    expect(isAllowed(manifests, { from, to: clusterDns, port: 53, protocol: 'UDP' })).toBe(true);
  });

  it('lets the worker alone ask name servers outside', () => {
    const allowed = [api, worker, edge, migrate].filter((from) =>
      isAllowed(manifests, { from, to: publicHost, port: 53, protocol: 'UDP' }),
    );
    expect(allowed).toEqual([worker]);
  });
});
