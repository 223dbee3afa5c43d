/**
 * The fields of Kubernetes and Compose that the manifests of examples/deploy use, each with its type, from the
 * reference of Kubernetes 1.37 (core/v1, apps/v1, batch/v1) and the Compose specification. Any other field is refused:
 * a misspelt one would be ignored, or refused by a cluster.
 */
import * as z from 'zod'

const labels = z.record(z.string(), z.string())
const metadata = z.strictObject({ name: z.string().regex(/^[a-z0-9-]{1,63}$/), labels: labels.optional() })
const port = z.int().min(1).max(65_535)
const resources = z.strictObject({
  requests: z.partialRecord(z.enum(['cpu', 'memory', 'storage']), z.string()),
  limits: z.partialRecord(z.enum(['cpu', 'memory']), z.string()).optional()
})
const env = z.strictObject({
  name: z.string(),
  valueFrom: z.union([
    z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.string() }) }),
    z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) })
  ])
})
const volumeMount = z.strictObject({
  name: z.string(),
  mountPath: z.string().startsWith('/'),
  subPathExpr: z.string().optional(),
  readOnly: z.boolean().optional()
})

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.literal('IfNotPresent'),
  command: z.array(z.string()),
  args: z.array(z.string()).optional(),
  env: z.array(env).optional(),
  ports: z.array(z.strictObject({ name: z.string().max(15), containerPort: port })).optional(),
  readinessProbe: z
    .strictObject({ httpGet: z.strictObject({ path: z.string(), port: z.string() }), periodSeconds: z.int() })
    .optional(),
  resources: resources.optional(),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) })
  }),
  volumeMounts: z.array(volumeMount)
})

const volume = z.strictObject({
  name: z.string(),
  configMap: z.strictObject({ name: z.string() }).optional(),
  secret: z.strictObject({ secretName: z.string(), defaultMode: z.literal(0o440) }).optional(),
  emptyDir: z.strictObject({}).optional(),
  persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional()
})

const template = z.strictObject({
  metadata: z.strictObject({ labels }),
  spec: z.strictObject({
    restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).optional(),
    automountServiceAccountToken: z.literal(false),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int().positive(),
      runAsGroup: z.int().positive(),
      fsGroup: z.int().positive(),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') })
    }),
    initContainers: z.array(container).optional(),
    containers: z.array(container),
    volumes: z.array(volume)
  })
})

const service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata,
  spec: z.strictObject({
    clusterIP: z.literal('None'),
    publishNotReadyAddresses: z.literal(true),
    selector: labels,
    ports: z.array(z.strictObject({ name: z.string(), port }))
  })
})

const statefulSet = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('StatefulSet'),
  metadata,
  spec: z.strictObject({
    serviceName: z.string(),
    replicas: z.int(),
    podManagementPolicy: z.literal('Parallel'),
    selector: z.strictObject({ matchLabels: labels }),
    template,
    volumeClaimTemplates: z.array(
      z.strictObject({
        metadata,
        spec: z.strictObject({ accessModes: z.tuple([z.literal('ReadWriteOnce')]), resources })
      })
    )
  })
})

const job = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata,
  spec: z.strictObject({
    completionMode: z.literal('Indexed'),
    completions: z.int(),
    parallelism: z.int(),
    backoffLimit: z.int(),
    template
  })
})

/** The documents of kubernetes.yml. */
export const ringSchema = z.tuple([service, statefulSet])
/** The document of sweep.yml. */
export const sweepSchema = z.tuple([job])

const composeService = z.strictObject({
  image: z.string(),
  user: z.string().regex(/^[1-9]\d*:[1-9]\d*$/),
  read_only: z.literal(true),
  tmpfs: z.array(z.string()),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  stop_grace_period: z.string(),
  restart: z.literal('on-failure'),
  entrypoint: z.array(z.string()),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  hostname: z.string(),
  ports: z.array(z.string().startsWith('127.0.0.1:')).optional(),
  volumes: z.array(z.string().regex(/^(\.\/[\w/.-]+|[\w-]+):\/[\w/.-]+(:ro)?$/))
})

/** compose.yml */
export const composeSchema = z.strictObject({
  'x-peer': composeService.omit({ hostname: true, volumes: true }),
  'services': z.record(z.string(), composeService),
  'volumes': z.record(z.string(), z.null())
})
