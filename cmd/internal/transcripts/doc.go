// Package transcripts has tests alone: rocec as a person types it, with all it prints.
package transcripts
