module.exports = { displayName: 'metering', preset: '../../jest.preset.js' };
