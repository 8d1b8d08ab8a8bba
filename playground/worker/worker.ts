self.postMessage("hello");
