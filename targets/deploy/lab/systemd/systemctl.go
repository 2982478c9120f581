package systemd

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// The verbs of systemctl. Each function handles one unit and returns an exit status.
var systemctlVerbs = map[string]func(*systemctl, context.Context, *unix.Proc, string) int{
	"start": func(s *systemctl, c context.Context, p *unix.Proc, n string) int {
		return s.start(c, p, n, "start", false)
	},
	"restart": func(s *systemctl, c context.Context, p *unix.Proc, n string) int {
		return s.start(c, p, n, "restart", true)
	},
	"try-restart":           (*systemctl).tryRestart,
	"reload":                (*systemctl).reload,
	"reload-or-restart":     (*systemctl).reloadOrRestart,
	"try-reload-or-restart": (*systemctl).tryReloadOrRestart,
	"stop":                  (*systemctl).stop,
	"is-active":             (*systemctl).isActive,
	"is-failed":             (*systemctl).isFailed,
	"is-enabled":            (*systemctl).isEnabled,
	"enable":                (*systemctl).enable,
	"disable":               (*systemctl).disable,
	"reset-failed":          (*systemctl).resetFailed,
	"status":                (*systemctl).status,
	"show":                  (*systemctl).show,
	"cat":                   (*systemctl).cat,
}

// systemctl is one run of the program.
type systemctl struct {
	m     *Manager
	quiet bool
	now   bool
	props []string
	value bool
}

func (m *Manager) cmdSystemctl(ctx context.Context, p *unix.Proc) int {
	s := &systemctl{m: m}
	var words []string
	args := p.Args[1:]
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "-q" || arg == "--quiet":
			s.quiet = true
		case arg == "--now":
			s.now = true
		case arg == "--value":
			s.value = true
		case arg == "-p" && len(args) > 0:
			s.props, args = append(s.props, strings.Split(args[0], ",")...), args[1:]
		case strings.HasPrefix(arg, "--property="):
			s.props = append(s.props, strings.Split(strings.TrimPrefix(arg, "--property="), ",")...)
		case arg == "--no-block", arg == "--no-pager", arg == "--no-legend", arg == "--system", arg == "--plain", arg == "--force", arg == "-f",
			arg == "--no-ask-password":
		case arg == "--":
		case strings.HasPrefix(arg, "-"):
			return p.Fail("unrecognized option '%s'", arg)
		default:
			words = append(words, arg)
		}
	}
	if len(words) == 0 {
		return p.Fail("the lab does not list units")
	}
	verb, names := words[0], words[1:]
	if verb == "daemon-reload" {
		return s.daemonReload(p)
	}
	do, ok := systemctlVerbs[verb]
	if !ok {
		return p.FailPlain(1, "Unknown command verb %s.", verb)
	}
	if len(names) == 0 {
		return p.FailPlain(1, "Too few arguments.")
	}
	status := 0
	for _, name := range names {
		// is-active and similar verbs succeed if any unit succeeds. The other verbs fail if any unit fails.
		status = max(status, do(s, ctx, p, unitName(name)))
	}
	return p.Done(status)
}

// change records a change by the service manager and reports whether it is allowed.
func (s *systemctl) change(p *unix.Proc, verb, name string) int {
	if !p.IsRoot() {
		return p.FailPlain(1, "Failed to %s %s: Interactive authentication required.", verb, name)
	}
	s.m.machine.FS.Lock()
	err := s.m.machine.FS.Change("systemctl " + verb + " " + name)
	s.m.machine.FS.Unlock()
	if err != nil {
		return p.FailPlain(1, "Failed to %s %s: %v", verb, name, err)
	}
	return 0
}

func (s *systemctl) daemonReload(p *unix.Proc) int {
	if status := s.change(p, "daemon-reload", ""); status != 0 {
		return status
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	for _, u := range s.m.units {
		u.file = nil
	}
	return 0
}

func (s *systemctl) lookup(name string) (u unit, ok bool) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	found, ok := s.m.find(name)
	if found != nil {
		u = *found
	}
	return u, ok
}

func (s *systemctl) missing(p *unix.Proc, verb, name string) int {
	return p.FailPlain(5, "Failed to %s %s: Unit %s not found.", verb, name, name)
}

// warnStale prints systemctl's warning for a unit file that has changed since the manager read it.
func (s *systemctl) warnStale(p *unix.Proc, name string, u unit) {
	if u.file == nil {
		return
	}
	if text, err := s.m.machine.FS.ReadFile(u.file.path); err != nil || string(text) != u.file.text {
		fmt.Fprintf(p.Stderr, "Warning: The unit file, source configuration file or drop-ins of %s changed on disk. Run 'systemctl "+
			"daemon-reload' to reload units.\n", name)
	}
}

func (s *systemctl) start(ctx context.Context, p *unix.Proc, name, verb string, again bool) int {
	u, ok := s.lookup(name)
	if !ok {
		return s.missing(p, verb, name)
	}
	if strings.HasSuffix(name, ".service") && u.file != nil {
		if t, inst := instance(name); t != name && inst == "" {
			return p.FailPlain(1, "Failed to %s %s: Unit name %s is missing the instance name.", verb, name, name)
		}
	}
	if status := s.change(p, verb, name); status != 0 {
		return status
	}
	s.warnStale(p, name, u)
	unlock, err := s.m.lock(name, p.Process())
	if err != nil {
		return 1
	}
	defer unlock()
	if u, ok = s.lookup(name); ok && u.active && !again {
		return 0
	}
	if dev := s.m.missingDevice(u.file, name); dev != "" {
		return p.FailPlain(1, "A dependency job for %s failed. See 'journalctl -xe' for details.", name)
	}
	if u.active {
		s.m.halt(p.Process(), name, u)
	}
	s.m.set(name, false, false)
	status := s.m.run(p.Process(), name, u, "ExecStart")
	s.m.set(name, status == 0 && u.stays(), status != 0)
	if status != 0 {
		return p.FailPlain(1, "Job for %s failed because the control process exited with error code.\nSee \"systemctl status %[1]s\" and "+
			"\"journalctl -xeu %[1]s\" for details.", name)
	}
	return 0
}

func (s *systemctl) tryRestart(ctx context.Context, p *unix.Proc, name string) int {
	if u, _ := s.lookup(name); !u.active {
		return 0
	}
	return s.start(ctx, p, name, "try-restart", true)
}

func (s *systemctl) reload(ctx context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	switch {
	case !ok:
		return s.missing(p, "reload", name)
	case u.file != nil && u.file.get("Service", "ExecReload") == "":
		return p.FailPlain(1, "Failed to reload %s: Job type reload is not applicable for unit %s.", name, name)
	case !u.active:
		return p.FailPlain(1, "%s is not active, cannot reload.", name)
	}
	if status := s.change(p, "reload", name); status != 0 {
		return status
	}
	s.warnStale(p, name, u)
	unlock, err := s.m.lock(name, p.Process())
	if err != nil {
		return 1
	}
	defer unlock()
	if s.m.run(p.Process(), name, u, "ExecReload") != 0 {
		return p.FailPlain(1, "Job for %s failed because the control process exited with error code.\nSee \"systemctl status %[1]s\" and "+
			"\"journalctl -xeu %[1]s\" for details.", name)
	}
	return 0
}

func (s *systemctl) reloadOrRestart(ctx context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok {
		return s.missing(p, "reload-or-restart", name)
	}
	if u.active && (u.builtin || u.file != nil && u.file.get("Service", "ExecReload") != "") {
		return s.reload(ctx, p, name)
	}
	return s.start(ctx, p, name, "reload-or-restart", true)
}

func (s *systemctl) tryReloadOrRestart(ctx context.Context, p *unix.Proc, name string) int {
	if u, _ := s.lookup(name); !u.active {
		return 0
	}
	return s.reloadOrRestart(ctx, p, name)
}

func (s *systemctl) stop(ctx context.Context, p *unix.Proc, name string) int {
	if strings.HasSuffix(name, ".timer") && s.m.cancel(name) {
		return 0
	}
	u, ok := s.lookup(name)
	if !ok {
		return p.FailPlain(5, "Failed to stop %s: Unit %s not loaded.", name, name)
	}
	if status := s.change(p, "stop", name); status != 0 {
		return status
	}
	unlock, err := s.m.lock(name, p.Process())
	if err != nil {
		return 1
	}
	defer unlock()
	if u.active {
		s.m.halt(p.Process(), name, u)
	}
	s.m.set(name, false, false)
	return 0
}

func (s *systemctl) isActive(_ context.Context, p *unix.Proc, name string) int {
	state, status := "inactive", 3
	u, _ := s.lookup(name)
	switch {
	case u.active || s.m.waiting(name):
		state, status = "active", 0
	case u.failed:
		state = "failed"
	}
	if !s.quiet {
		p.Print(state + "\n")
	}
	return status
}

func (s *systemctl) isFailed(_ context.Context, p *unix.Proc, name string) int {
	state, status := "inactive", 1
	u, _ := s.lookup(name)
	switch {
	case u.active:
		state = "active"
	case u.failed:
		state, status = "failed", 0
	}
	if !s.quiet {
		p.Print(state + "\n")
	}
	return status
}

func (s *systemctl) resetFailed(_ context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok {
		return p.FailPlain(1, "Failed to reset failed state of unit %s: Unit %s not loaded.", name, name)
	}
	s.m.set(name, u.active, false)
	return 0
}

// links returns the paths of the symbolic links that the [Install] section of a unit wants.
func (u *unitFile) links(name string) []string {
	var links []string
	for key, dir := range map[string]string{"WantedBy": ".wants", "RequiredBy": ".requires"} {
		for _, value := range u.sections["Install"][key] {
			for target := range strings.FieldsSeq(expandSpecifiers(value, name)) {
				links = append(links, "/etc/systemd/system/"+target+dir+"/"+name)
			}
		}
	}
	slices.Sort(links)
	return links
}

func (s *systemctl) enable(ctx context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok {
		return p.FailPlain(1, "Failed to enable unit: Unit file %s does not exist.", name)
	}
	if status := s.change(p, "enable", name); status != 0 {
		return status
	}
	if u.file != nil {
		links := u.file.links(name)
		if len(links) == 0 {
			fmt.Fprintln(p.Stderr, "The unit files have no installation config (WantedBy=, RequiredBy=, Also=,\nAlias= settings in the [Install] "+
				"section, and DefaultInstance= for template\nunits). This means they are not meant to be enabled or disabled using systemctl.")
			return 0
		}
		for _, link := range links {
			if _, err := s.m.machine.FS.Stat(unix.Cred{}, link, false); err == nil {
				continue
			}
			if err := p.MkdirAll(path.Dir(link), 0o755); err != nil {
				return p.FailPlain(1, "Failed to enable unit: %v", err)
			}
			if err := s.m.machine.FS.Symlink(unix.Cred{}, u.file.path, link); err != nil {
				return p.FailPlain(1, "Failed to enable unit, file %s: %v", link, err)
			}
			fmt.Fprintf(p.Stderr, "Created symlink %s -> %s.\n", link, u.file.path)
		}
	}
	s.m.mark(name, true)
	if s.now {
		return s.start(ctx, p, name, "start", false)
	}
	return 0
}

func (s *systemctl) disable(ctx context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok {
		return p.FailPlain(1, "Failed to disable unit: Unit file %s does not exist.", name)
	}
	if status := s.change(p, "disable", name); status != 0 {
		return status
	}
	if u.file != nil {
		for _, link := range u.file.links(name) {
			if err := s.m.machine.FS.Unlink(unix.Cred{}, link); err == nil {
				fmt.Fprintf(p.Stderr, "Removed %q.\n", link)
			}
		}
	}
	s.m.mark(name, false)
	if s.now {
		return s.stop(ctx, p, name)
	}
	return 0
}

func (m *Manager) mark(name string, enabled bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.units[name]
	u.enabled = enabled
	if !u.builtin {
		return
	}
	m.disabled = slices.DeleteFunc(m.disabled, func(s string) bool { return s == name })
	if !enabled {
		m.disabled = append(m.disabled, name)
	}
}

func (s *systemctl) enabled(p *unix.Proc, name string, u unit) string {
	if u.file == nil {
		if u.enabled {
			return "enabled"
		}
		return "disabled"
	}
	links := u.file.links(name)
	if len(links) == 0 {
		return "static"
	}
	for _, link := range links {
		if _, err := s.m.machine.FS.Stat(unix.Cred{}, link, false); err != nil {
			return "disabled"
		}
	}
	return "enabled"
}

func (s *systemctl) isEnabled(_ context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok {
		return p.FailPlain(1, "Failed to get unit file state for %s: No such file or directory", name)
	}
	state := s.enabled(p, name, u)
	if !s.quiet {
		p.Print(state + "\n")
	}
	if state == "disabled" {
		return 1
	}
	return 0
}

func (s *systemctl) status(_ context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok {
		return p.FailPlain(4, "Unit %s could not be found.", name)
	}
	state, status := "inactive (dead)", 3
	switch {
	case u.active:
		state, status = "active", 0
	case u.failed:
		state = "failed"
	}
	p.Printf("%s\n     Active: %s\n", name, state)
	return status
}

// show knows the properties below. Like systemd, it prints them in this order, and not in the requested order.
func (s *systemctl) show(_ context.Context, p *unix.Proc, name string) int {
	if s.value && s.m.old(230) {
		return p.Fail("unrecognized option '--value'")
	}
	u, ok := s.lookup(name)
	load, active, sub, result, enabled := "loaded", "inactive", "dead", "success", ""
	switch {
	case s.m.waiting(name):
		active, sub, ok = "active", "waiting", true
	case !ok:
		load = "not-found"
	case u.active:
		active, sub = "active", "exited"
		if u.mainPID != 0 {
			sub = "running"
		}
	case u.failed:
		active, sub, result = "failed", "failed", "exit-code"
	}
	if ok {
		enabled = s.enabled(p, name, u)
	}
	since := "0"
	if u.active {
		since = strconv.FormatInt(u.since.Microseconds(), 10)
	}
	reload := "no"
	if u.file != nil {
		if text, err := s.m.machine.FS.ReadFile(u.file.path); err != nil || string(text) != u.file.text {
			reload = "yes"
		}
	}
	properties := []struct{ name, value string }{
		{"MainPID", strconv.Itoa(u.mainPID)},
		{"Result", result},
		{"NRestarts", "0"},
		{"Id", name},
		{"LoadState", load},
		{"ActiveState", active},
		{"SubState", sub},
		{"UnitFileState", enabled},
		{"ActiveEnterTimestampMonotonic", since},
		{"NeedDaemonReload", reload},
	}
	for _, q := range properties {
		service := q.name == "MainPID" || q.name == "NRestarts" || q.name == "Result"
		switch {
		case s.props != nil && !slices.Contains(s.props, q.name):
		case service && !strings.HasSuffix(name, ".service"), q.name == "NRestarts" && s.m.old(235):
		case s.value:
			p.Print(q.value + "\n")
		default:
			p.Print(q.name + "=" + q.value + "\n")
		}
	}
	return p.Done(0)
}

func (s *systemctl) cat(_ context.Context, p *unix.Proc, name string) int {
	u, ok := s.lookup(name)
	if !ok || u.file == nil {
		return p.FailPlain(1, "No files found for %s.", name)
	}
	p.Print("# " + u.file.path + "\n" + u.file.text)
	return 0
}
