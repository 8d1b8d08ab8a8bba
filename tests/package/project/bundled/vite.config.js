export default {
  build: {
    lib: { entry: "node.js", formats: ["es"], fileName: "vite" },
    outDir: "out/vite",
    minify: true,
  },
};
