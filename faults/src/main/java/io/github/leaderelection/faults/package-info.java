/**
 * Runs real candidates and scheduled jobs on real servers through faults that are
 * injected, and checks afterwards what they have written down.
 */
package io.github.leaderelection.faults;
