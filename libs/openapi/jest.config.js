module.exports = { displayName: 'openapi', preset: '../../jest.preset.js' };
