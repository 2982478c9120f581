package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/cmd/rocecd/internal/pages"
	"github.com/rocec/rocec/cmd/rocecd/internal/server"
	"github.com/rocec/rocec/cmd/rocecd/internal/site"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// daemon is a running rocecd.
type daemon struct {
	o      *serveOptions
	p      *person.Person
	log    *slog.Logger
	link   *uplink
	hub    *server.Hub    // nil: nothing is embedded
	team   *broker.Broker // of the hub itself; nil: this process is a site alone
	worker *site.Worker   // nil: this process has no site
	mirror string         // folder of the git repository
	lock   *os.File       // of the store of the hub
}

// The times of a daemon.
const (
	watchTime = time.Second      // between looks whether users were added or revoked
	startTime = 30 * time.Second // to make the streams
	retryTime = 2 * time.Second  // between questions to a NATS server that does not answer
	natsTime  = 10 * time.Minute // of all of them
	readyTime = 5 * time.Second  // of the answer of /readyz
)

// serve runs until ctx ends, or a part of the process fails.
func serve(ctx context.Context, p *person.Person, o *serveOptions) (err error) {
	d := &daemon{o: o, p: p, log: slog.New(slog.NewTextHandler(p.Stderr, nil)), link: &uplink{o: &o.place, files: map[string]keys.Role{}}}
	defer d.close()
	if err := d.startHub(ctx); err != nil {
		return machine(err)
	}
	if err := d.startSite(ctx); err != nil {
		return machine(err)
	}
	o.readers.Log = d.log
	listener, err := pages.Listen(ctx, o.readers)
	if err != nil {
		return machine(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	each := func(do func() error) {
		all.Go(func() {
			if err := do(); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	end, stop := context.WithCancel(context.WithoutCancel(ctx)) // the pages are there until the wave under way has ended
	defer stop()
	feed := pages.NewFeed(d.feed())
	each(func() error { return listener.Serve(end, d.handler(feed)) })
	each(func() error {
		feed.Run(ctx)
		return nil
	})
	each(func() error { return d.watch(ctx) })
	worked := make(chan error, 1)
	go func() {
		err := error(nil)
		if d.worker != nil {
			err = d.worker.Run(ctx)
		}
		if err != nil {
			cancel(err)
		}
		<-ctx.Done()
		worked <- err
	}()
	d.log.Info("rocecd serves", "version", build().Version, "hub", d.address(), "site", o.site, "pages", listener.Address())
	d.notify("READY=1")
	<-ctx.Done()
	d.notify("STOPPING=1")
	err = <-worked // the wave under way has ended
	stop()
	all.Wait()
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	d.log.Info("rocecd ends")
	return machine(err)
}

// address returns the address of the hub: the one in this process, or the one that the flags name.
func (d *daemon) address() string {
	if d.hub != nil {
		return d.hub.URL()
	}
	return d.o.hub + d.o.nats
}

func (d *daemon) notify(state string) {
	if err := notify(d.p.Getenv("NOTIFY_SOCKET"), state); err != nil {
		d.log.Warn("systemd does not hear", "error", err)
	}
}

// startHub starts the hub of this process, and makes the streams of the team.
func (d *daemon) startHub(ctx context.Context) (err error) {
	o := d.o
	if !o.embeds() && o.site != "" {
		return nil
	}
	if o.embeds() {
		if d.link.ring, err = embedded(&o.place); err != nil {
			return err
		}
		if d.lock, err = lockStore(o.state); err != nil {
			return err
		}
		free, err := net.Listen("tcp", o.listen) // nats-server would only log that it is not, and try again
		if err != nil {
			return fmt.Errorf("the hub: %w. --listen names another address", err)
		}
		free.Close() //nolint:errcheck // it was never used
		host, port, err := portOf(o.listen)
		if err != nil {
			return err
		}
		if host == "" {
			host = "0.0.0.0"
		}
		if d.hub, err = server.Start(server.Options{
			Listen: host, Port: port, Store: filepath.Join(o.state, "store"), Ring: d.link.ring, Log: d.log,
		}); err != nil {
			return err
		}
	}
	until := time.Now()
	if o.nats != "" { // a cluster that has just started has no leader for a while
		until = until.Add(natsTime)
	}
	for {
		if err = openTeam(ctx, d); err == nil || broker.Refused(err) || ctx.Err() != nil || time.Now().After(until) {
			return err
		}
		d.log.Warn("rocecd asks again until the NATS server answers", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(retryTime):
		}
	}
}

// openTeam connects to the hub, and makes the streams of the team.
func openTeam(ctx context.Context, d *daemon) (err error) {
	if d.team == nil {
		if d.team, err = d.link.open("hub", keys.Hub); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	return makeStreams(ctx, d.team, d.o)
}

// makeStreams makes the streams of a team, or sets their limits.
func makeStreams(ctx context.Context, b *broker.Broker, o *serveOptions) error {
	if err := b.Make(ctx, broker.Limits{Bytes: o.storeBytes, Age: o.storeAge, Replicas: o.replicas}); err != nil {
		return err
	}
	return b.MakeAlive(ctx, o.replicas)
}

// startSite opens the site of this process.
func (d *daemon) startSite(ctx context.Context) (err error) {
	o := d.o
	if o.mirror == "" {
		return nil
	}
	if d.mirror, err = openMirror(ctx, d.log, o.state, o.mirror); err != nil {
		return err
	}
	g, err := newGlobals(d.p)
	if err != nil {
		return err
	}
	name, sites, err := fabricOf(ctx, g, d.mirror, o.folder)
	if err != nil {
		return err
	}
	if o.site, err = chooseSite(o.site, name, sites); err != nil {
		return err
	}
	w, err := o.worker(d.p, d.log, d.link)
	if err != nil {
		return err
	}
	w.Fabrics = map[string]site.Source{name: {Mirror: d.mirror, Folder: o.folder}}
	if o.lab == session.LabKept { // the default of rocec has one for each folder of a fabric, and a site has a folder for each commit
		o.lab = session.LabFlag(filepath.Join(o.state, "lab"))
	}
	w.VerifyEvery = o.verifyEvery
	w.Change = session.ChangeOptions{
		Format: "json", Parallel: o.parallel, OnFailure: string(rollout.UndoWave), Anomaly: string(rollout.AnomalyStop),
		HookTime: session.HookTime, Drain: o.drain, Undrain: o.undrain, Lab: o.lab,
	}
	w.Rules = sequence.Rules{Rules: change.Rules{MinCapacity: minCapacity, Parallel: o.parallel, Canary: true}}
	if o.lab != "" {
		soak := session.LabSoak
		w.Rules.Soak = &soak
	}
	d.worker, err = site.New(*w)
	return err
}

// minCapacity is the percentage of capacity that paths keep, as for rocec apply.
const minCapacity = 50

// worker returns the options of a worker that a rebuild needs, too.
func (o *place) worker(p *person.Person, log *slog.Logger, l *uplink) (*site.Options, error) {
	key := o.key
	if l.ring != nil && key == "" && p.Getenv(session.KeyVariable) == "" {
		file, line, err := l.ring.SiteKey(o.site)
		if err != nil {
			return nil, err
		}
		key = file
		log.Info("the site signs with a key of the ring: the allowed signers of the team need its line", "line", line)
	}
	w := &site.Options{
		Site: o.site, State: o.state, Clock: device.Clock{Now: time.Now, Wait: time.After}, Log: log,
		Connect: func() (*broker.Broker, error) { return l.open(o.site, keys.Site) },
	}
	w.Session = func(listen func(journal.Notice)) *session.Session {
		g, err := newGlobals(p)
		if err != nil {
			panic("rocecd: " + err.Error()) // the flags are constant
		}
		s := session.New(g, w.Clock)
		s.Site, s.Listen = rights.Named{Folder: rights.Folder, Key: key}, listen
		return s
	}
	w.Signers = o.signersOf(p)
	return w, nil
}

// signersOf returns the reader of the allowed signers: those of the file that the flag names, or those of the machine.
func (o *place) signersOf(p *person.Person) func() (*sshsig.Signers, error) {
	if o.signers == "" {
		return func() (*sshsig.Signers, error) {
			r, err := rights.Read(p, rights.Named{Folder: rights.Folder})
			if err != nil {
				return nil, err
			}
			signers, _, err := r.Signers()
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%w. --signers names another file", err)
			}
			return signers, err
		}
	}
	return func() (*sshsig.Signers, error) {
		text, err := globals.ReadBounded(o.signers)
		if err != nil {
			return nil, err
		}
		signers, err := sshsig.ParseSigners(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", diag.Escape(o.signers), err)
		}
		return signers, nil
	}
}

// newGlobals returns the globals of a process without a person.
func newGlobals(p *person.Person) (*globals.Globals, error) {
	of := &person.Person{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: p.Stderr, Environ: p.Environ, Getenv: p.Getenv, Color: "never", Quiet: true,
	}
	g := globals.New(of, build())
	g.LogFormat = "text"
	return g, g.Prepare()
}

// watch makes the hub take users that were added or revoked, and renews the credentials of this process.
func (d *daemon) watch(ctx context.Context) error {
	if d.hub == nil {
		return hear(ctx, d)
	}
	known, renewed := "", time.Now()
	for ctx.Err() == nil {
		now, err := d.link.ring.Changed()
		if err == nil && now != known {
			err = d.hub.Reload()
			known = now
		}
		if err == nil && time.Since(renewed) > 24*time.Hour {
			err = d.link.renew()
			renewed = time.Now()
		}
		if err != nil {
			d.log.Error("the users of the hub cannot be read", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchTime):
		}
	}
	return nil
}

// hear makes the stream of the signs of life again, after each new connection to a NATS server: the server may have started again.
func hear(ctx context.Context, d *daemon) error {
	if d.team == nil {
		<-ctx.Done()
		return nil
	}
	for known := uint64(0); ctx.Err() == nil; {
		if now := d.team.Reconnects(); now != known {
			if err := d.team.MakeAlive(ctx, d.o.replicas); err == nil {
				known = now
			} else {
				d.log.Warn("the hub takes no sign of life", "error", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchTime):
		}
	}
	return nil
}

// feed returns where the pages read. A site reads as itself, and the hub as a reader.
func (d *daemon) feed() pages.FeedOptions {
	o := d.o
	of := pages.FeedOptions{Clock: device.Clock{Now: time.Now, Wait: time.After}, Log: d.log, Signers: o.signersOf(d.p)}
	of.Connect = func() (*broker.Broker, error) {
		if o.site != "" {
			return d.link.open(o.site, keys.Site)
		}
		return d.link.open("pages", keys.Reader)
	}
	return of
}

// handler returns the pages of this process.
func (d *daemon) handler(src pages.TeamSource) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", pages.Handler(src))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		if err := d.ready(ctx); err != nil {
			answer(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		answer(w, http.StatusOK, "ready")
	})
	return mux
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// ready returns why this process cannot do its work now: a line for each reason.
func (d *daemon) ready(ctx context.Context) (err error) {
	if d.team != nil && !d.team.Connected() {
		err = errors.Join(err, errors.New("the hub does not answer"))
	} else if d.team != nil {
		_, lost := d.team.Last(ctx) // the stream may have been deleted
		err = errors.Join(err, lost)
	}
	if d.worker == nil {
		return err
	}
	switch s := d.worker.Status(); {
	case !s.Connected:
		err = errors.Join(err, errors.New("the site is not connected to the hub"))
	case s.Trouble != "":
		err = errors.Join(err, errors.New(s.Trouble))
	}
	return errors.Join(err, d.worker.Writable(), readyMirror(ctx, d.mirror))
}

// close ends the hub, when its worker has ended.
func (d *daemon) close() {
	if d.team != nil {
		d.team.Close()
	}
	if d.hub != nil {
		d.hub.Stop()
	}
	if d.lock != nil {
		d.lock.Close() //nolint:errcheck // nothing was written
	}
}
