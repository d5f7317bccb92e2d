package io.github.leaderelection.spring.other;

/**
 * Inherits all of its methods from a class that others can't see, hence has bridges.
 */
public class PublicTables extends Tables {

}
