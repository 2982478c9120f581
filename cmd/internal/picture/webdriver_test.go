package picture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// browser is a tab of a real headless Chromium, driven over the W3C WebDriver protocol.
type browser struct {
	t   *testing.T
	url string // of the session
}

// driver is chromedriver with one session of Chromium. The tests of this package use it one after the other.
type driver struct {
	*exec.Cmd
	home string // folder of the profile
	url  string // of the session
}

// running is the driver that [TestMain] ends.
var running *driver

// chromium starts the driver.
var chromium = sync.OnceValues(func() (*driver, error) {
	program, err := machinetest.Find("chromedriver")
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	running = &driver{Cmd: exec.Command(program, "--port=0", "--log-level=SEVERE"), home: home}
	running.Env = append(running.Environ(), "HOME="+home)
	return running, running.start()
})

// start starts chromedriver and a Chromium without network.
func (d *driver) start() error {
	out, err := d.StdoutPipe()
	if err != nil {
		return err
	}
	if err := d.Start(); err != nil {
		return err
	}
	port := ""
	for lines := bufio.NewScanner(out); port == "" && lines.Scan(); {
		if _, rest, found := strings.Cut(lines.Text(), "started successfully on port "); found {
			port = strings.TrimSuffix(rest, ".")
		}
	}
	if port == "" {
		return errors.New("chromedriver does not report its port")
	}
	d.url = "http://127.0.0.1:" + port
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--window-size=1400,900", "--user-data-dir=" + d.home + "/profile", "--proxy-server=127.0.0.1:9",
	}
	var session struct {
		SessionID string `json:"sessionId"`
	}
	err = send("POST", d.url+"/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:chromeOptions": map[string]any{"args": args},
		"goog:loggingPrefs":  map[string]any{"browser": "ALL"},
	}}}, &session)
	d.url += "/session/" + session.SessionID
	return err
}

func TestMain(m *testing.M) {
	status := m.Run()
	if running != nil {
		running.end()
	}
	os.Exit(status)
}

// end ends Chromium and chromedriver, if they still run.
func (d *driver) end() {
	if d.Process != nil {
		send("DELETE", d.url, nil, nil) //nolint:errcheck // without a session the driver ends all the same
		d.Process.Kill()                //nolint:errcheck // it may have ended
		d.Wait()                        //nolint:errcheck // killed
	}
	os.RemoveAll(d.home) //nolint:errcheck // a folder for temporary files
}

// openBrowser opens a tab for a test.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("make check starts no browser; make test does")
	}
	machinetest.Need(t, "chromium")
	machinetest.Need(t, "chromedriver")
	d, err := chromium()
	require.NoError(t, err)
	b := &browser{t: t, url: d.url}
	var first string
	b.call("GET", "/window", nil, &first)
	var tab struct{ Handle string }
	b.call("POST", "/window/new", map[string]any{"type": "tab"}, &tab)
	b.call("POST", "/window", map[string]any{"handle": tab.Handle}, nil)
	t.Cleanup(func() {
		b.call("DELETE", "/actions", nil, nil)
		b.call("DELETE", "/window", nil, nil)
		b.call("POST", "/window", map[string]any{"handle": first}, nil)
		b.errors() // so that the next test does not see it
	})
	return b
}

// scheme makes pages light or dark.
func (b *browser) scheme(value string) {
	b.t.Helper()
	b.call("POST", "/goog/cdp/execute", map[string]any{"cmd": "Emulation.setEmulatedMedia", "params": map[string]any{
		"features": []any{map[string]any{"name": "prefers-color-scheme", "value": value}},
	}}, nil)
}

// send sends one command and reads its value into out.
func send(method, url string, in, out any) error {
	var body bytes.Buffer
	if in == nil && method == "POST" {
		in = map[string]any{}
	}
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, url, &body)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{}} // no proxy: the driver is on this machine
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var reply struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, url, reply.Value)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(reply.Value, out)
}

// call sends one command of the session and reads its value into out.
func (b *browser) call(method, path string, in, out any) {
	b.t.Helper()
	require.NoError(b.t, send(method, b.url+path, in, out))
}

func (b *browser) open(url string) { b.call("POST", "/url", map[string]any{"url": url}, nil) }

// run runs a script in the page; its value is read into out.
func (b *browser) run(script string, out any, args ...any) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	b.call("POST", "/execute/sync", map[string]any{"script": script, "args": args}, out)
}

// text returns the visible text of the first element of a CSS selector.
func (b *browser) text(selector string) string {
	b.t.Helper()
	var s string
	b.run("return document.querySelector(arguments[0]).innerText", &s, selector)
	return s
}

// find returns the reference of the first element of a CSS selector.
func (b *browser) find(selector string) map[string]string {
	b.t.Helper()
	var e map[string]string
	b.call("POST", "/element", map[string]any{"using": "css selector", "value": selector}, &e)
	return e
}

func (b *browser) click(selector string) {
	b.t.Helper()
	for _, id := range b.find(selector) {
		b.call("POST", "/element/"+id+"/click", nil, nil)
	}
}

// type types text; "\uE007" is Enter.
func (b *browser) typeKeys(selector, text string) {
	b.t.Helper()
	for _, id := range b.find(selector) {
		b.call("POST", "/element/"+id+"/value", map[string]any{"text": text}, nil)
	}
}

// pointAt moves the mouse to a place of the window, and then does further actions.
func (b *browser) pointAt(x, y float64, more ...map[string]any) {
	b.t.Helper()
	steps := append([]map[string]any{{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y), "origin": "viewport"}}, more...)
	b.call("POST", "/actions", map[string]any{"actions": []any{map[string]any{
		"type": "pointer", "id": "mouse", "parameters": map[string]any{"pointerType": "mouse"}, "actions": steps,
	}}}, nil)
}

// errors returns the warnings and errors of the console: failed scripts and violations of the policy.
func (b *browser) errors() []string {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.call("POST", "/se/log", map[string]any{"type": "browser"}, &entries)
	var out []string
	for _, e := range entries {
		if e.Level == "SEVERE" || e.Level == "WARNING" {
			out = append(out, fmt.Sprint(e.Level, ": ", e.Message))
		}
	}
	return out
}

// screenshot returns a PNG of the window.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var s string
	b.call("GET", "/screenshot", nil, &s)
	data, err := base64.StdEncoding.DecodeString(s)
	require.NoError(b.t, err)
	return data
}
