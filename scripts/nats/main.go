// Runs NATS with JetStream on loopback ports until it is interrupted: one server, or a cluster of them.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	port := flag.Int("port", server.RANDOM_PORT, "port for clients; -1 takes a free one")
	data := flag.String("data", "", "folder of the streams; must be given")
	user := flag.String("user", "", "name and password as NAME:PASSWORD; without it anybody may connect")
	name := flag.String("name", "one", "name of this server in its cluster")
	routes := flag.String("routes", "", "cluster ports of all servers, such as 6001,6002,6003, this one's first")
	syncAlways := flag.Bool("sync-always", false, "sync each write to the disk, instead of every two minutes")
	withParent := flag.Bool("with-parent", false, "end when standard input does, as when its parent dies")
	flag.Parse()
	if *data == "" {
		log.Fatal("--data must be given")
	}
	options := &server.Options{
		Host: "127.0.0.1", Port: *port, ServerName: *name, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: filepath.Join(*data, *name), SyncAlways: *syncAlways,
	}
	options.Username, options.Password, _ = strings.Cut(*user, ":")
	if *routes != "" {
		ports := strings.Split(*routes, ",")
		own, err := strconv.Atoi(ports[0])
		if err != nil {
			log.Fatal(err)
		}
		options.Cluster = server.ClusterOpts{Name: "hosepipe", Host: "127.0.0.1", Port: own}
		for _, other := range ports {
			options.Routes = append(options.Routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + other})
		}
	}
	running, err := server.NewServer(options)
	if err != nil {
		log.Fatal(err)
	}
	running.Start()
	if !running.ReadyForConnections(20 * time.Second) {
		log.Fatal("not ready within 20 s")
	}
	// The address is its first line.
	fmt.Println(running.ClientURL())
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	if *withParent {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			interrupted <- os.Interrupt
		}()
	}
	<-interrupted
	running.Shutdown()
	running.WaitForShutdown()
}
