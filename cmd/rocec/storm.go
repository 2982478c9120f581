package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/readings"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/storm"
)

// stormOptions are the flags of storm.
type stormOptions struct {
	session.ReadOptions
	window     time.Duration // 0: the shortest one that the devices allow
	watch      bool
	from       []string
	prometheus string
	format     string
	lab        session.LabFlag
	only       []string
}

func stormCommand(a *app) *cobra.Command {
	var o stormOptions
	cmd := &cobra.Command{
		Use:   "storm [DIR]",
		Short: "find the port where pauses begin",
		Long: "Storm reads the counters of pauses and queues of all devices three times, and changes nothing. It prints the port where a\n" +
			"storm begins, the ports and hosts that wait behind it, and the counters on which that rests. A name needs two windows\n" +
			"between readings that agree. Congestion accuses no device. Buffers that wait for each other in a circle are a lock, not a storm.\n" +
			"Where nothing was read, the result is that the origin is not known.\n\n" +
			"With --from it reads snapshots of rocec collect instead, the oldest first. With --prometheus it asks a server for the last\n" +
			"three readings of rocec verify --format openmetrics; ROCEC_PROMETHEUS_TOKEN may have a token.\n\n" +
			"The exit status is 0 if nothing was found, and 3 if nothing was judged. It is 1 for a storm, a lock, or an origin that is not\n" +
			"known.",
		Example: "  rocec storm\n" +
			"  rocec storm --format json",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			dir, err := fabricFolder(a, cmd, args)
			if err != nil {
				return err
			}
			if o.from == nil && o.prometheus == "" {
				return runStorm(cmd.Context(), a, dir, o)
			}
			return stormFrom(cmd.Context(), a, dir, o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.window, "window", 0, "the time between two readings, as a `duration`; 0: 2s, or more if devices renew their counters "+
		"more slowly")
	f.BoolVar(&o.watch, "watch", false, "read until interrupted, and print each result that differs from the one before")
	f.StringArrayVar(&o.from, "from", nil, "read a `snapshot` of rocec collect; give two or three, the oldest first")
	f.StringVar(&o.prometheus, "prometheus", "", "ask the server of Prometheus at this `URL`")
	f.StringVar(&o.format, "format", "text", "text or json")
	labFlags(cmd, &o.lab)
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

// check refuses flags that contradict each other.
func (o *stormOptions) check(cmd *cobra.Command) error {
	if err := exit.Choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	if err := o.ReadOptions.Check(); err != nil {
		return err
	}
	live := []string{"lab", "window", "watch", "parallel", "timeout", "ask-sudo-password", "target"}
	switch {
	case o.window < 0:
		return exit.Fail(exit.Usage, "--window must not be negative")
	case o.from != nil && (len(o.from) < 2 || len(o.from) > 3):
		return exit.Fail(exit.Usage, "--from needs two or three snapshots, the oldest first: a rise needs two, and a name needs three")
	case o.from != nil:
		return without(cmd, "from", "reads snapshots", append(live, "prometheus")...)
	case o.prometheus != "":
		return without(cmd, "prometheus", "asks a server", live...)
	}
	return nil
}

// runStorm reads the devices.
func runStorm(ctx context.Context, a *app, dir string, o stormOptions) (err error) {
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	r := newStormReader(f, devices)
	defer r.counters.Close()
	if len(r.queries) == 0 {
		return exit.Fail(exit.Usage, "none of these devices has counters of pauses that rocec knows")
	}
	window, err := r.window(o.window)
	if err != nil {
		return err
	}
	var kept []storm.Reading
	last := ""
	for {
		begun := time.Now()
		options, end := a.Reading()
		o.Limit(&options)
		one := r.read(ctx, options)
		end()
		if ctx.Err() != nil {
			return exit.Fail(exit.Interrupted, "interrupted")
		}
		if kept = append(kept, one); len(kept) > 3 {
			kept = kept[1:]
		}
		if len(kept) == 3 {
			found := storm.Judge(f.Fabric, kept)
			if now := stormKey(found); !o.watch || now != last {
				last = now
				if o.watch && o.format == "text" {
					fmt.Fprintln(a.Stdout, time.Now().Format("15:04:05"))
				}
				if err := printStorm(a, f, found, nil, o.format); !o.watch {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return exit.Fail(exit.Interrupted, "interrupted")
		case <-time.After(window - time.Since(begun)):
		}
	}
}

// stormFrom reads snapshots, or asks a server.
func stormFrom(ctx context.Context, a *app, dir string, o stormOptions) error {
	server := (*readings.Prometheus)(nil)
	if o.prometheus != "" {
		var err error
		if server, err = readings.NewPrometheus(o.prometheus, a.Getenv(readings.TokenVariable)); err != nil {
			return err
		}
	}
	f, err := a.LoadGood(dir)
	if err != nil {
		return err
	}
	var all []storm.Reading
	if server == nil {
		all, err = readings.Snapshots(f.Fabric, o.from)
	} else if all, err = server.Readings(ctx, f.Fabric, time.Now()); ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	if err != nil {
		return err
	}
	return printStorm(a, f, storm.Judge(f.Fabric, all), readings.Times(all), o.format)
}

// printStorm prints a judgement of readings. Its error is nil if nothing was found. The times of kept readings are printed, too.
func printStorm(a *app, f *report.Report, found *storm.Pauses, at []time.Time, format string) error {
	doc := view.StormJSON(f.Fabric, found)
	doc.ReadAt = at
	if format == "json" {
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	} else {
		a.Screen().Storm(doc)
	}
	switch found.Verdict {
	case storm.Unread:
		return exit.With(exit.Machines)
	case storm.Storm, storm.Lock, storm.Unknown:
		return exit.With(exit.Errors)
	}
	return nil
}

// stormKey returns the part of a judgement whose change --watch prints: the places, without shares and counters.
func stormKey(p *storm.Pauses) string {
	var b strings.Builder
	b.WriteString(string(p.Verdict))
	for i := range p.Origins {
		fmt.Fprintf(&b, " %s %s", p.Origins[i].Kind, p.Origins[i].Port)
	}
	for i := range p.Locks {
		fmt.Fprintf(&b, " lock %s", p.Locks[i].Waits[0].Port)
	}
	for _, h := range p.Hidden {
		fmt.Fprintf(&b, " %s %s", h.Why, h.Device.Name)
	}
	for _, d := range p.Silent {
		b.WriteString(" silent " + d.Name)
	}
	return b.String()
}

// stormReader reads the counters of the devices of a fabric.
type stormReader struct {
	fabric  *ir.Fabric
	whole   *target.Tree
	devices *session.Fleet
	queries map[*ir.Device][]target.CounterQuery
	of      map[*ir.Device]*stormAnswers

	counters, settings session.Queries
	begun              bool // the settings were asked: one time for all readings
}

// stormAnswers are the answers of a device.
type stormAnswers struct {
	counters  []session.Reply
	when      time.Time                      // of the counters
	watchdogs map[string]ir.WatchdogSettings // nil: its settings were not read
}

func newStormReader(f *report.Report, devices *session.Fleet) *stormReader {
	r := &stormReader{fabric: f.Fabric, whole: f.Tree(), devices: devices}
	r.queries, r.of = map[*ir.Device][]target.CounterQuery{}, map[*ir.Device]*stormAnswers{}
	for _, d := range devices.Tree.Devices {
		if queries := targets.CounterQueries(d.Source); len(queries) > 0 {
			one := &stormAnswers{}
			r.queries[d.Source], r.of[d.Source] = queries, one
			r.counters.Add(d.Name, target.Queries(queries), func(all []session.Reply) { one.counters, one.when = all, time.Now() })
			r.settings.Add(d.Name, readings.SettingsQueries(d.Source), func(all []session.Reply) {
				one.watchdogs = readings.LiveWatchdogs(d.Source, all)
			})
		}
	}
	return r
}

// window returns the time between readings. The devices of a lab renew their counters at every read.
func (r *stormReader) window(wanted time.Duration) (time.Duration, error) {
	if r.devices.Lab == nil {
		return readings.Window(r.fabric, r.queries, wanted)
	}
	return cmp.Or(wanted, time.Second), nil
}

// read reads all devices once.
func (r *stormReader) read(ctx context.Context, o rollout.ObserveOptions) storm.Reading {
	if !r.begun {
		r.settings.Ask(ctx, r.devices.Dial, r.whole, o)
		r.settings.Close()
		r.begun = true
	}
	asked := time.Now()
	r.counters.Ask(ctx, r.devices.Dial, r.whole, o)
	out := storm.Reading{}
	for _, d := range r.fabric.Devices {
		if a := r.of[d]; a != nil {
			out[d] = readings.CountersOf(d, r.queries[d], a.counters, a.when)
			out[d].Asked = asked
			out[d].Watchdogs = a.watchdogs
			if r.devices.Lab != nil {
				out[d].Every, out[d].Queues = 0, 0
			}
		} else if out[d] = readings.Without(d); out[d] == nil {
			out[d] = &storm.Counters{Failed: "--target leaves it out"}
		}
	}
	return out
}
