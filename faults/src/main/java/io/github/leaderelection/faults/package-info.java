/**
 * Runs real candidates and scheduled jobs on real servers through injected faults, and
 * then checks what they have written down.
 */
package io.github.leaderelection.faults;
