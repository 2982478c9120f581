package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/lang/diag"
)

// serverUser names the certificate of the server for renew: no user has the name.
const serverUser = "server"

func keysCommand(p *person.Person) *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "make, list, renew and revoke the keys of a hub",
		Long: "Keys makes the credentials and certificates by which sites and persons reach the hub. They protect the transport. An SSH key " +
			"signs what a person or a site says, and the hub has the SSH key of no person. Each file is readable for its owner alone. Run " +
			"it on the machine of the hub: a running rocecd sees each change within seconds.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(
		keysInitCommand(p, &state), keysSiteCommand(p, &state), keysPersonCommand(p, &state), keysListCommand(p, &state),
		keysNATSCommand(p, &state), keysRenewCommand(p, &state), keysRevokeCommand(p, &state))
	for _, verb := range cmd.Commands() {
		stateFlag(verb, &state)
	}
	return cmd
}

func keysInitCommand(p *person.Person, state *string) *cobra.Command {
	var hosts []string
	cmd := &cobra.Command{
		Use:     "init [flags]",
		Short:   "make the keys of a hub",
		Long:    "Init makes the ring of keys of a hub, and the certificate of its server. It refuses a folder that has keys.",
		Example: "  rocecd keys init --host hub.example.net --host 192.0.2.10",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := findState(p, state); err != nil {
				return err
			}
			r, err := makeRing(*state, hosts)
			if err != nil {
				return err
			}
			printLines(p, "The keys of the hub are in "+r.Dir()+". Keep a copy where only you can read it.",
				"Copy to each site and person: "+r.CA())
			return printServer(p, r)
		},
	}
	cmd.Flags().StringArrayVar(&hosts, "host", nil, "a `name` or address by which sites and persons reach the hub; repeatable")
	return cmd
}

// takesName refuses anything but one name of a user.
func takesName(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exit.Fail(exit.Usage, "%s takes NAME, not %s\nsee: %[1]s --help", cmd.CommandPath(), diag.Count(len(args), "argument"))
	}
	if !statement.Token(args[0]) {
		return exit.Fail(exit.Usage, "%q is no name of a user: letters, digits, \"-\" and \"_\"", args[0])
	}
	return nil
}

// takesNew refuses the name of a present user, too.
func takesNew(r *keys.Ring, name string) error {
	if name == serverUser || name == "hub" {
		return exit.Fail(exit.Usage, "the name %s is one of the hub itself", name)
	}
	if u := r.Find(name); u != nil {
		return exit.Fail(exit.Errors, "the ring has the %s %s already: rocecd keys renew %[2]s makes other credentials", string(u.Role), name)
	}
	return nil
}

// readRing opens the ring for a command that reads it.
func readRing(p *person.Person, state *string, do func(r *keys.Ring) error) error {
	if err := findState(p, state); err != nil {
		return err
	}
	r, err := openRing(*state)
	if err != nil {
		return err
	}
	return machine(do(r))
}

// onRing opens the ring for a command that changes it. One command at a time changes a ring.
func onRing(p *person.Person, state *string, do func(r *keys.Ring) error) error {
	return readRing(p, state, func(r *keys.Ring) error {
		lock, err := os.OpenFile(filepath.Join(r.Dir(), "lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		defer lock.Close()
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
			return err
		}
		return readRing(p, state, do) // as the one before has left it
	})
}

func keysSiteCommand(p *person.Person, state *string) *cobra.Command {
	var valid time.Duration
	cmd := &cobra.Command{
		Use:   "site NAME [flags]",
		Short: "make the credentials and the key of a site",
		Long: "Site makes the credentials by which the rocecd of a site reaches the hub, and the SSH key by which the site signs. A site that " +
			"has its SSH key in a token or an agent needs only the credentials.",
		Example: "  rocecd keys site dc1",
		Args:    takesName,
		RunE: func(_ *cobra.Command, args []string) error {
			return onRing(p, state, func(r *keys.Ring) error {
				name := args[0]
				if err := takesNew(r, name); err != nil {
					return err
				}
				key, line, err := r.SiteKey(name)
				if err != nil {
					return err
				}
				if err := addUser(p, r, name, keys.Site, valid); err != nil {
					return err
				}
				printLines(p, "Move to the site: "+key, "Add this line to allowed_signers of each site and person:", "  "+line,
					"On the site: rocecd serve --site "+name+" --hub tls://HOST:4222 --creds "+name+".creds --ca ca.crt --key site-"+name+
						".key --mirror GITURL")
				return nil
			})
		},
	}
	validFlag(cmd, &valid)
	return cmd
}

func keysPersonCommand(p *person.Person, state *string) *cobra.Command {
	var valid time.Duration
	var role string
	cmd := &cobra.Command{
		Use:   "person NAME [flags]",
		Short: "make the credentials of a person",
		Long: "Person makes the credentials by which a person or a CI reaches the hub, and the certificate for its pages. An operator submits " +
			"plans and statements; a reader reads. What a site obeys depends on the SSH key of the person, which rocecd does not make.",
		Example: "  rocecd keys person alice\n  rocecd keys person wallboard --role reader",
		Args:    takesName,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := exit.Choice("role", role, string(keys.Operator), string(keys.Reader), string(keys.Hub)); err != nil {
				return err
			}
			return onRing(p, state, func(r *keys.Ring) error {
				name := args[0]
				if err := takesNew(r, name); err != nil {
					return err
				}
				if err := addUser(p, r, name, keys.Role(role), valid); err != nil {
					return err
				}
				return addPage(p, r, name, keys.Role(role), valid)
			})
		},
	}
	validFlag(cmd, &valid)
	cmd.Flags().StringVar(&role, "role", string(keys.Operator), "operator, reader, or hub for rocecd serve --nats")
	return cmd
}

func validFlag(cmd *cobra.Command, to *time.Duration) {
	cmd.Flags().DurationVar(to, "valid", keys.Validity, "how long they are valid, as a `duration`")
}

// addUser makes credentials, and prints what to copy.
func addUser(p *person.Person, r *keys.Ring, name string, role keys.Role, valid time.Duration) error {
	if valid < time.Minute {
		return exit.Fail(exit.Usage, "--valid is at least a minute")
	}
	creds, err := r.Add(name, role, valid)
	if err != nil {
		return err
	}
	file, err := r.Write(name+".creds", creds)
	if err != nil {
		return err
	}
	to := map[keys.Role]string{keys.Site: "site", keys.Hub: "machine of rocecd serve --nats"}[role]
	to = cmp.Or(to, "person")
	printLines(p, fmt.Sprintf("The credentials of the %s %s are valid until %s.", role, name, r.Find(name).Expires.Format(time.RFC3339)),
		"Move to the "+to+": "+file, "Copy to the "+to+": "+r.CA())
	return nil
}

// addPage makes the certificate of a person for the pages.
func addPage(p *person.Person, r *keys.Ring, name string, role keys.Role, valid time.Duration) error {
	if role != keys.Operator && role != keys.Reader {
		return nil
	}
	cert, key, err := r.Page(name, valid)
	if err != nil {
		return err
	}
	printLines(p, "For the pages of the hub, move to the person, too: "+cert, "  "+key)
	return nil
}

func keysListCommand(p *person.Person, state *string) *cobra.Command {
	return &cobra.Command{
		Use:     "list [flags]",
		Short:   "list users and when their credentials end",
		Long:    "List prints each user of the hub with its role and the end of its credentials, and the end of the server's certificate.",
		Example: "  rocecd keys list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return readRing(p, state, func(r *keys.Ring) error {
				fmt.Fprintf(p.Stdout, "%-24s %-9s %s\n", "NAME", "ROLE", "CREDENTIALS")
				for _, u := range r.Users() {
					name, _, _ := strings.Cut(u.Name, "@") // revoked users have the time in their names
					fmt.Fprintf(p.Stdout, "%-24s %-9s %s\n", name, u.Role, stateOf(&u, time.Now()))
				}
				return printServer(p, r)
			})
		},
	}
}

func keysNATSCommand(p *person.Person, state *string) *cobra.Command {
	return &cobra.Command{
		Use:   "nats [flags]",
		Short: "print the configuration of a NATS server of your own",
		Long: "NATS prints what a NATS server needs to know of these keys, for rocecd serve --nats. Include it in the configuration of the " +
			"server, or of each server of a cluster. Such a server does not see changes of the keys: after renew and revoke, print it again, " +
			"and let each server reload its configuration. It has no secret.",
		Example: "  rocecd keys nats >rocec.conf",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return readRing(p, state, func(r *keys.Ring) error {
				trust, err := r.Trust()
				if err == nil {
					_, err = fmt.Fprint(p.Stdout, trust.NATSConf())
				}
				return err
			})
		},
	}
}

// stateOf returns whether the credentials of a user are good.
func stateOf(u *keys.User, now time.Time) string {
	switch {
	case !u.Revoked.IsZero():
		return "revoked " + u.Revoked.Format(time.RFC3339)
	case now.After(u.Expires):
		return "ended " + u.Expires.Format(time.RFC3339)
	}
	return "until " + u.Expires.Format(time.RFC3339)
}

// printServer prints the hosts of the server and the end of its certificate.
func printServer(p *person.Person, r *keys.Ring) error {
	hosts, until, err := r.Hosts()
	if err != nil {
		return machine(err)
	}
	end := until.UTC().Format(time.RFC3339)
	printLines(p, fmt.Sprintf("The certificate of the server is for %s, and valid until %s.", diag.And(hosts), end))
	return nil
}

func keysRenewCommand(p *person.Person, state *string) *cobra.Command {
	var valid time.Duration
	var hosts []string
	cmd := &cobra.Command{
		Use:   "renew NAME [flags]",
		Short: "make other credentials of a user, or another certificate of the server",
		Long: "Renew makes other credentials of a user, and revokes the present ones. A site works on without the hub until it has the new " +
			"file. The running rocecd of the site reads the file again by itself. The SSH key of a site stays.\n\n" +
			"With the name server it makes another certificate of the server. The running rocecd of the hub shows it to new connections.",
		Example: "  rocecd keys renew dc1\n  rocecd keys renew server --host hub.example.net",
		Args:    takesName,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onRing(p, state, func(r *keys.Ring) error {
				name := args[0]
				if name == serverUser {
					return renewServer(p, r, hosts, valid)
				}
				if len(hosts) > 0 {
					return exit.Fail(exit.Usage, "--host is for the certificate of the server: rocecd keys renew server")
				}
				u := r.Find(name)
				if u == nil {
					return exit.Fail(exit.Errors, "the ring has no user %q that is not revoked: rocecd keys site and rocecd keys person make users", name)
				}
				role := u.Role
				if err := addUser(p, r, name, role, valid); err != nil {
					return err
				}
				printLines(p, "The earlier credentials are revoked.")
				return addPage(p, r, name, role, valid)
			})
		},
	}
	validFlag(cmd, &valid)
	cmd.Flags().StringArrayVar(&hosts, "host", nil, "with server: a `name` or address of the hub, in place of the present ones; repeatable")
	return cmd
}

func renewServer(p *person.Person, r *keys.Ring, hosts []string, valid time.Duration) error {
	if len(hosts) == 0 {
		var err error
		if hosts, _, err = r.Hosts(); err != nil {
			return err
		}
	} else {
		hosts = append(hosts, "localhost", "127.0.0.1")
	}
	if err := r.Server(hosts, valid); err != nil {
		return err
	}
	return printServer(p, r)
}

func keysRevokeCommand(p *person.Person, state *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME [flags]",
		Short: "end the credentials of a user",
		Long: "Revoke ends the credentials of a site or a person. The hub refuses the next connection, and cuts an open one within seconds. " +
			"It does not take the person's SSH key out of allowed_signers: remove that line on each site.",
		Example: "  rocecd keys revoke alice",
		Args:    takesName,
		RunE: func(_ *cobra.Command, args []string) error {
			return onRing(p, state, func(r *keys.Ring) error {
				if r.Find(args[0]) == nil {
					return exit.Fail(exit.Errors, "the ring has no user %q", args[0])
				}
				if err := r.Revoke(args[0]); err != nil {
					return err
				}
				printLines(p, "The credentials of "+args[0]+" are revoked.", "Remove the line of its SSH key from allowed_signers of each site, too.",
					"A NATS server of your own learns it from rocecd keys nats, and then a reload.")
				return nil
			})
		},
	}
}

func printLines(p *person.Person, lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(p.Stdout, line)
	}
}
