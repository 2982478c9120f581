//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// scraped serves the metrics of one moment.
type scraped struct{ text, form string }

// prometheusServer starts Prometheus, which scrapes an address, and returns its URL.
func prometheusServer(t *testing.T, target string) string {
	t.Helper()
	program := machinetest.Need(t, "prometheus")
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, []byte("global: {scrape_interval: 500ms, scrape_timeout: 500ms}\n"+
		"scrape_configs: [{job_name: rocec, static_configs: [{targets: ['"+strings.TrimPrefix(target, "http://")+"']}]}]\n"), 0o600))
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address=127.0.0.1:0")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	output, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	listens, log := make(chan string, 1), make(chan string, 1)
	go func() {
		var all strings.Builder
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			fmt.Fprintln(&all, lines.Text())
			if at := regexp.MustCompile(`msg="Listening on" address=(127\.0\.0\.1:\d+)`).FindStringSubmatch(lines.Text()); at != nil {
				listens <- "http://" + at[1]
			}
		}
		log <- all.String()
	}()
	t.Cleanup(func() {
		end()
		text := <-log
		_ = cmd.Wait() // the status of a program that a signal ends
		if t.Failed() {
			t.Log(text)
		}
	})
	select {
	case at := <-listens:
		return at
	case text := <-log:
		log <- text
		t.Fatal("prometheus ended before it listened")
	}
	return ""
}

// stored waits until a server has a value of an expression.
func stored(t *testing.T, server, expression string, value int64) {
	t.Helper()
	want := fmt.Sprintf(`,"%d"]`, value)
	for t.Context().Err() == nil {
		answer, err := http.Get(server + "/api/v1/query?query=" + url.QueryEscape(expression))
		if err == nil {
			data, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if strings.Contains(string(data), want) {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// storedLooks lets a server scrape three looks at a storm in priority 4, and returns its URL. The host of origin pauses its switch all the
// time, and the switch its other hosts. The second look is in the format that the textfile collector of node_exporter serves.
func storedLooks(t *testing.T, f *ir.Fabric, origin *ir.Port) string {
	t.Helper()
	var now atomic.Pointer[scraped]
	now.Store(&scraped{form: "text/plain"})
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		of := now.Load()
		w.Header().Set("Content-Type", of.form)
		_, _ = io.WriteString(w, of.text)
	}))
	t.Cleanup(target.Close)
	server := prometheusServer(t, target.URL)
	tor, first := origin.Peer().Device(), time.Time{}
	forms := []string{"application/openmetrics-text; version=1.0.0; charset=utf-8", "text/plain; version=0.0.4"}
	for n := range 3 {
		when := time.Unix(time.Now().Unix(), 0)
		if n == 0 {
			first = when
		}
		// As many packets as a queue of 400 Gb/s sends in a month. A server stores values as doubles.
		const before = 20_000_000_000_000
		rises := func(each int64) ir.Counter {
			return ir.Counter{Value: before + uint64(each*int64(when.Sub(first)/time.Second)), Known: true}
		}
		look := metrics.Look{Fabric: f, Version: "1.2.3", When: when, Pauses: metrics.NewPauses(f, nil)}
		for _, d := range f.Devices {
			seen := metrics.Seen{Device: d, Read: true, State: "good"}
			for _, p := range d.Ports {
				c := ir.PauseCounters{Port: p.Name, Priority: 4, Received: rises(0), Sent: rises(0)}
				switch {
				case p == origin:
					c.Sent, c.SentTime = rises(3000), rises(1e6)
				case d == tor && p.Peer() == origin:
					c.Received, c.Packets = rises(3000), rises(0)
				case d == tor:
					c.Sent, c.Packets = rises(3000), rises(1)
				default:
					c.Received, c.ReceivedTime, c.Packets = rises(3000), rises(1e6), rises(0)
				}
				seen.Counters = append(seen.Counters, c)
			}
			look.Devices = append(look.Devices, seen)
		}
		var text bytes.Buffer
		require.NoError(t, look.Write(&text))
		now.Store(&scraped{text.String(), forms[n%2]})
		stored(t, server, metrics.LastLook, when.Unix())
		if n < 2 {
			time.Sleep(2 * time.Second) // times of looks are whole seconds, and a look is stored before the next one begins
		}
	}
	return server
}

// A real Prometheus scrapes three looks, and storm names the origin by them.
func TestStormByPrometheus(t *testing.T) {
	t.Parallel()
	machinetest.Need(t, "prometheus")
	machinetest.Long(t)
	setenv(t, "COLUMNS", "1000")
	const example = "../../examples/rack-v1-pfc"
	f, err := newApp(&person.Person{Getenv: func(string) string { return "" }}).Load(example)
	require.NoError(t, err)
	origin := portOf(f.Fabric, "store2")
	server := storedLooks(t, f.Fabric, origin)
	code, stdout, stderr := rocec(t, "storm", "--prometheus", server, "--format", "json", example)
	require.Equal(t, exit.Errors, code, "%s%s", stdout, stderr)
	var doc view.StormDocument
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc), stdout)
	require.Equal(t, "storm", doc.Verdict, stdout)
	require.Len(t, doc.Origins, 1)
	require.Equal(t, origin.String(), doc.Origins[0].Port)
	require.Equal(t, 2, doc.Windows)
	require.Equal(t, doc.Ports, doc.Judged)
	require.Empty(t, doc.NotRead.Devices)
	require.Equal(t, []string{"store1", "store3", "store4", "store5"}, doc.Origins[0].Hosts)

	code, _, stderr = rocec(t, "storm", "--prometheus", server, "../../examples/clos-v2-ecn")
	require.Equal(t, exit.Machines, code)
	require.Contains(t, stderr, "has no "+metrics.LastLook+" of the fabric")
}
