package io.github.leaderelection.test;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import org.springframework.boot.test.context.SpringBootTest;

/**
 * A test of the application. All are configured alike, and share one context.
 */
@SpringBootTest(classes = ControlledApplication.class,
		properties = { "spring.application.name=shop", "leader-election.elections.y.ttl=2s", "test.election=y" })
@Retention(RetentionPolicy.RUNTIME)
@interface ControlledTest {

}
