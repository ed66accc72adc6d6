const Ajv = require('ajv');
const ajv = new Ajv({ allErrors: true, useDefaults: true, coerceTypes: true });
const validate = ajv.compile({
  type: 'object',
  required: ['id', 'items'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer', minimum: 1 },
    kind: { enum: ['a', 'b'], default: 'a' },
    items: { type: 'array', minItems: 1, items: { $ref: '#/definitions/item' } },
  },
  definitions: {
    item: {
      type: 'object',
      properties: { sku: { type: 'string', pattern: '^[A-Z]{3}$' } },
      required: ['sku'],
    },
  },
});
const good = { id: '7', items: [{ sku: 'ABC' }] };
console.log(validate(good), good);
console.log(
  validate({ id: 0, kind: 'z', items: [{ sku: 'a' }, {}], more: 1 }),
  validate.errors.map((e) => `${e.instancePath} ${e.keyword} ${e.message}`),
);
console.log(ajv.errorsText(validate.errors.slice(0, 1)), ajv.validate({ type: 'string' }, {}));
