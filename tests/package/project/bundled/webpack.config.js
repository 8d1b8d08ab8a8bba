export default {
  mode: "production",
  entry: "./node.js",
  target: "es2022",
  experiments: { outputModule: true },
  output: { path: `${import.meta.dirname}/out/webpack`, filename: "webpack.js", module: true },
};
