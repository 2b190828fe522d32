module.exports = { displayName: 'sandbox-oidc', preset: '../../jest.preset.js' };
