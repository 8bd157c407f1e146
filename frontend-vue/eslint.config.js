import prettier from 'eslint-config-prettier'
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript'
import importX from 'eslint-plugin-import-x'
import vue from 'eslint-plugin-vue'
import accessibility from 'eslint-plugin-vuejs-accessibility'
import { defineConfigWithVueTs, vueTsConfigs } from '@vue/eslint-config-typescript'

/** Imports point down only: views, components, composables, stores, api. */
const layers = ['views', 'components', 'composables', 'stores', 'api']
const layerZones = layers.slice(1).map((layer, index) => ({
  target: `./src/${layer}`,
  from: layers.slice(0, index + 1).map((above) => `./src/${above}`),
  message: 'Imports point down: views, components, composables, stores, api.',
}))
const componentZones = [
  {
    target: './src/components/base',
    from: [
      './src/stores',
      './src/api',
      ...['account', 'chat', 'conversation', 'knowledge', 'shell', 'ticket'].map(
        (folder) => `./src/components/${folder}`,
      ),
    ],
    message: 'A base component knows no domain word and no store.',
  },
  {
    target: './src/components/conversation',
    from: [
      './src/router',
      './src/components/chat',
      './src/components/ticket',
      './src/components/shell',
    ],
    message: 'Conversation parts serve chat and ticket alike and know no route.',
  },
  {
    target: './src/components/account',
    from: './src/components/chat',
    message: 'Account and chat do not know each other.',
  },
  {
    target: './src/components/chat',
    from: './src/components/account',
    message: 'Account and chat do not know each other.',
  },
  {
    target: './src/components/ticket',
    from: ['./src/components/chat', './src/components/account'],
    message: 'Ticket and chat share conversation parts and do not know each other.',
  },
  {
    target: './src/components/chat',
    from: './src/components/ticket',
    message: 'Ticket and chat share conversation parts and do not know each other.',
  },
  {
    target: './src/locales',
    from: layers.map((layer) => `./src/${layer}`),
    message: 'Strings depend on nothing.',
  },
]

export default defineConfigWithVueTs(
  { ignores: ['dist/**', 'src/api/schema.d.ts'] },
  vue.configs['flat/recommended'],
  vueTsConfigs.recommended,
  accessibility.configs['flat/recommended'],
  prettier,
  {
    files: ['**/*.{js,mjs,ts,vue}'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({ project: './tsconfig.app.json' }),
      ],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: [...layerZones, ...componentZones] }],
      'import-x/no-cycle': 'error',
      'import-x/no-duplicates': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'vue/no-v-html': 'error',
      'vue/no-static-inline-styles': 'error',
      'vue/block-order': ['error', { order: ['script', 'template', 'style'] }],
      'vue/component-api-style': ['error', ['script-setup']],
      'vue/define-macros-order': [
        'error',
        { order: ['defineModel', 'defineProps', 'defineEmits'] },
      ],
      'vue/require-typed-ref': 'error',
      // TypeScript already says which props may be absent.
      'vue/require-default-prop': 'off',
      // Labels are tied by id; asking for nesting as well would only shape the mark-up.
      'vuejs-accessibility/label-has-for': ['error', { required: { some: ['nesting', 'id'] } }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.{ts,vue}'],
    ignores: ['src/api/**', 'src/testing/**', 'src/**/*.test.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Only src/api talks to the server.' },
        { name: 'EventSource', message: 'Only src/api talks to the server.' },
        { name: 'XMLHttpRequest', message: 'Only src/api talks to the server.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'window', property: 'fetch', message: 'Only src/api talks to the server.' },
        { property: 'innerHTML', message: 'Render nodes, not strings of HTML.' },
      ],
      'import-x/no-default-export': 'error',
    },
  },
  { files: ['src/**/*.vue'], rules: { 'import-x/no-default-export': 'off' } },
  { files: ['scripts/**', 'build/**'], rules: { 'no-console': 'off' } },
)
