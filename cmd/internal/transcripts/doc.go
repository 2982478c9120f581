// Package transcripts has only tests, which compare commands of rocec with their whole output.
package transcripts
