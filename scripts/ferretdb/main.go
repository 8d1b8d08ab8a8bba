// Runs FerretDB, which speaks MongoDB's wire protocol on top of SQLite, until it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	data := flag.String("data", "", "folder of the SQLite files; without it they live in memory")
	flag.Parse()

	url := "file:./?mode=memory"
	if *data != "" {
		url = "file:" + *data + "/"
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: *listen},
		Handler:   "sqlite",
		SQLiteURL: url,
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		log.Fatal(err)
	}
	// Whoever started it reads the address from its first line.
	fmt.Println(server.MongoDBURI())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
